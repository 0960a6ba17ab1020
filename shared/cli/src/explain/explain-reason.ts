import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { reasonClause } from "@realmwatch/shared/view/decision-reason";
import { formatLocalTime } from "../output/format-object.ts";
import type { Screen } from "../output/table.ts";

/** Name in quotes with a space before it: ` "ops"`; empty when there is no name. */
const quoted = (name: string): string => (name === "" ? "" : ` ${JSON.stringify(name)}`);

/** Present state of the object that a reason is about. */
type PresentRow = Pick<StatusRow, "flapping" | "suppressedBy">;

/** Explanation of a reason that the present state makes more exact; undefined for the other reasons. */
function presentClause({ reason, name }: Because, { flapping, suppressedBy }: PresentRow): string | undefined {
  if (reason === "host_down")
    return suppressedBy.length > 0
      ? `its host${quoted(name)} is down`
      : `its host${quoted(name)} recovered after the last result of the service`;
  return reason === "flapping" && flapping === false ? "flapping has ended, and the next result is awaited" : undefined;
}

/**
 * Explains a notification decision, with its end time if there is one. A reason of a newer server is printed as it is.
 *
 * @param present undefined when the reason is one of the past
 */
export function explainReason(because: Because, screen: Screen, present?: PresentRow): string {
  const { reason, name, until } = because;
  const exact = present && presentClause(because, present);
  const text = exact ?? reasonClause(reason, quoted(name)) ?? `${reason}${quoted(name)}`;
  return until === undefined ? text : `${text}, until ${formatLocalTime(until, screen)}`;
}
