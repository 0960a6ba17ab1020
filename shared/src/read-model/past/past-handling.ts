import { isHostDown, isProblem, type Status } from "../../model/status.ts";
import type { Row } from "../../row/row.ts";

/** Finds the past row of a host of the same realm by its name. */
type FindPastHost = (name: string) => Row | undefined;

/**
 * Sets downtime, suppression and handling of a past row by its host and parents: the host's downtime, and a host or
 * parents that were down. Dependencies are not recorded: those that suppress the problem now are used for the past too
 * when the object has not changed since.
 *
 * @param own          the row as made by `pastRow`
 * @param findPastHost finds the past rows of hosts
 * @param isChanged    true when a change of the object is recorded after the time
 */
export function withPastHandling(own: Row, findPastHost: FindPastHost, isChanged: boolean): Row {
  const { key, parents } = own.about;
  const host = key.kind === "service" ? findPastHost(key.host) : undefined;
  const inDowntime = own.inDowntime || (host?.inDowntime ?? false);
  if (!isProblem(own.status)) return { ...own, inDowntime, suppressedBy: [], handled: false };
  const blocking =
    host === undefined ? blockingParents(own, findPastHost) : isHardBlock(host) ? [host.about.key.name] : [];
  const reachability = new Set(key.kind === "service" ? [key.host] : parents);
  const dependencies = isChanged ? [] : own.suppressedBy.filter((name) => !reachability.has(name));
  const suppressedBy = [...blocking, ...dependencies];
  const handled = own.acknowledgement !== undefined || inDowntime || suppressedBy.length > 0;
  return { ...own, inDowntime, suppressedBy, handled };
}

const blockingParents = ({ about, status }: Row, findPastHost: FindPastHost): readonly string[] =>
  status === "unreachable" ? about.parents.filter((name) => blocks(findPastHost(name)?.status ?? "pending")) : [];

const blocks = (status: Status): boolean => isHostDown(status) || status === "unreachable";
const isHardBlock = ({ status, stateType }: Row): boolean => stateType === "hard" && blocks(status);
