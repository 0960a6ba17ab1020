import type { Row } from "../../model/row.ts";
import { isHostDown, isProblem, type Status } from "../../model/status.ts";

/** Finds another row of the same realm as it was; by the name of a host. */
export type FindPastHost = (name: string) => Row | undefined;

/**
 * What covered a row at the instant: its host's downtime, its host or its parents being down. Dependencies are not
 * recorded: those that hold a problem quiet now count for then too where nothing else is known of the object.
 *
 * @param own   the row as `rowThen` made it
 * @param isNew whether anything was recorded of the object since
 */
export function withPastHandling(own: Row, hostThen: FindPastHost, isNew: boolean): Row {
  const { key, parents } = own.about;
  const host = key.kind === "service" ? hostThen(key.host) : undefined;
  const inDowntime = own.inDowntime || (host?.inDowntime ?? false);
  if (!isProblem(own.status)) return { ...own, inDowntime, suppressedBy: [], handled: false };
  const inTheWay = host === undefined ? blockingParents(own, hostThen) : isHardBlock(host) ? [host.about.key.name] : [];
  const reachability = new Set(key.kind === "service" ? [key.host] : parents);
  const dependencies = isNew ? [] : own.suppressedBy.filter((name) => !reachability.has(name));
  const suppressedBy = [...inTheWay, ...dependencies];
  const handled = own.acknowledgement !== undefined || inDowntime || suppressedBy.length > 0;
  return { ...own, inDowntime, suppressedBy, handled };
}

const blockingParents = ({ about, status }: Row, hostThen: FindPastHost): readonly string[] =>
  status === "unreachable" ? about.parents.filter((name) => blocks(hostThen(name)?.status ?? "pending")) : [];

const blocks = (status: Status): boolean => isHostDown(status) || status === "unreachable";
const isHardBlock = ({ status, stateType }: Row): boolean => stateType === "hard" && blocks(status);
