import type { RowChange } from "@realmwatch/shared/row/row";
import type { PackedChanges } from "../port/packed-changes.ts";

/** The reverse of `unpackChanges`. */
export function packChanges(changes: readonly RowChange[]): PackedChanges {
  const packed = changes.flatMap(({ message }) => message ?? []);
  const messages = new Uint8Array(packed.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  const ends = packed.map((message) => {
    messages.set(message, end);
    end += message.length;
    return end;
  });
  return { messages, ends, others: changes.filter(({ message }) => message === undefined) };
}
