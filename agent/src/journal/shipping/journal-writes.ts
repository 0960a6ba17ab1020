import type { ThreadClient } from "@realmwatch/shared/platform/process/thread-client";
import type { JournalStore } from "../write/journal-store.ts";
import type { WriteOf, WriteOperation } from "../write/write-operation.ts";
import type { GroupShipping, GroupWaiter } from "./group-shipping.ts";

/** Writes of a journal's `GroupCommit`: with `pair`, what was committed goes to it, and it says when to answer. */
export function journalWrites(writer: Pick<ThreadClient<JournalStore>, "request">, pair: GroupShipping | undefined) {
  if (pair === undefined) return { write: (ops: readonly WriteOperation[]) => writer.request("write", ops) };
  return {
    async write(ops: readonly WriteOperation[]) {
      const written = await writer.request("writeShipped", ops);
      const isStored = (op: WriteOperation, i: number): boolean =>
        op.kind === "cursor" && written.results[i]?.ok === true;
      const cursors = ops.filter(isStored) as WriteOf<"cursor">[];
      pair.take(
        written,
        cursors.map(({ name, seq }) => [name, seq]),
      );
      return written.results;
    },
    confirmed: (waiter: GroupWaiter) => pair.confirmed(pair.lastPosition(), waiter),
  };
}
