import { fromBinary } from "@bufbuild/protobuf";
import { StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { RowChange } from "@realmwatch/shared/row/row";
import { rowChangeFromProto } from "@realmwatch/shared/row/state-row";

/**
 * Changes of rows as they cross to the port, at most one an object. Those that came as messages cross as messages: to copy
 * the values of a row would keep the main thread, through which all rows come, busier than the rest of its work on them.
 */
export type PackedChanges = {
  /** Encoded messages, one behind the other. */
  readonly messages: Uint8Array;
  /** Position in `messages` at which each of them ends. */
  readonly ends: readonly number[];
  /** Changes that did not come as messages. */
  readonly others: readonly RowChange[];
};

/** Decodes the messages, which the main thread has decoded before. */
export function unpackChanges({ messages, ends, others }: PackedChanges): RowChange[] {
  const changes = ends.map((end, at) => {
    const change = rowChangeFromProto(fromBinary(StateRowSchema, messages.subarray(ends[at - 1] ?? 0, end)));
    if (!change.ok) throw new Error("the message of a row cannot be decoded in the port");
    return change.value;
  });
  return [...changes, ...others];
}
