import { StateType } from "@realmwatch/proto/svc/v1/common_pb";
import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { isProblem, type Status, severityOf, statuses } from "../model/status.ts";
import { statusCodec } from "../wire/fields/enums.ts";

/** All statuses, most severe first. */
export const statusNames: readonly Status[] = statuses.toSorted((a, b) => severityOf[b] - severityOf[a]);

/** Status of the wire. An unset status, or one of a newer server, is `unknown`, never `ok`. */
export const statusNameOf = (status: number): Status => statusCodec.fromProto(status) ?? "unknown";

/** True for the row of an object in a problem. */
export const hasProblem = ({ status }: Pick<StatusRow, "status">): boolean => isProblem(statusNameOf(status));

/** True while a state is not confirmed. */
export const isSoftState = (type: StateType): boolean => type === StateType.SOFT;
