import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { WriteOperation, WriteResult } from "../threads/journal-protocol.ts";

/** Most commands that may wait for the disk, and their most UTF-16 units; further commands are refused. */
const maxCommands = 10_000;
const maxCommandChars = 64 * 1024 * 1024;
const probeEveryMs = 5_000;

export type GroupCommit = {
  /** Writes a command as `put` does; refused as `exhausted` when too many commands wait. */
  accept(command: CommandWrite): Promise<Result<number, Refusal>>;
  /** Resolves with the value of the write once `op` is durable, or is refused as `unavailable`. */
  put(op: WriteOperation): Promise<Result<number, Refusal>>;
  /** Error of the last write; empty when it succeeded. */
  error(): string;
  waitingCommands(): number;
  /** Refuses further writes; resolves when the pending ones have ended. */
  close(): Promise<void>;
};

/** Command to store, with its audit records and its answer. */
type CommandWrite = Omit<Extract<WriteOperation, { kind: "accept" }>, "kind">;
type PendingWrite = { readonly op: WriteOperation; done(result: WriteResult): void };

/**
 * Groups writes so that each group needs one sync. One group is written at a time; writes that arrive meanwhile, or in
 * one turn of the event loop, form the next group.
 */
export function openGroupCommit(io: {
  readonly clock: Clock;
  onSync(ms: number): void;
  write(ops: readonly WriteOperation[]): Promise<readonly WriteResult[]>;
}): GroupCommit {
  let next: PendingWrite[] = [];
  let phase: "idle" | "scheduled" | "writing" = "idle";
  let error = "";
  let commands = 0;
  let commandChars = 0;
  let closed = false;
  let idle: (() => void) | undefined;
  let cancelProbe = (): void => {};

  function schedule(): void {
    if (phase !== "idle") return;
    if (next.length === 0) {
      idle?.();
      return;
    }
    phase = "scheduled";
    // An immediate runs after all input of this turn of the event loop.
    setImmediate(flush);
  }

  async function flush(): Promise<void> {
    phase = "writing";
    const group = next;
    next = [];
    const startedMs = io.clock.monotonic();
    const results = await write(group.map(({ op }) => op));
    io.onSync(io.clock.monotonic() - startedMs);
    updateHealth(results);
    group.forEach(({ done }, i) => {
      done(results[i] ?? { ok: false, error: "no answer" });
    });
    phase = "idle";
    schedule();
  }

  async function write(ops: readonly WriteOperation[]): Promise<readonly WriteResult[]> {
    try {
      return await io.write(ops);
    } catch (thrown) {
      const message = errorText(thrown);
      return ops.map(() => ({ ok: false, error: message }));
    }
  }

  /** Notes the error. After a failure, probes detect the recovery of the disk even when there is no other write. */
  function updateHealth(results: readonly WriteResult[]): void {
    const failed = results.find((result) => !result.ok);
    error = failed && !failed.ok ? failed.error : "";
    cancelProbe();
    if (failed && !closed) cancelProbe = io.clock.after(probeEveryMs, () => void put({ kind: "probe" }));
  }

  async function put(op: WriteOperation): Promise<Result<number, Refusal>> {
    if (closed) return fail({ kind: "unavailable", what: "the journal is closed" });
    const result = await new Promise<WriteResult>((done) => {
      next.push({ op, done });
      schedule();
    });
    return result.ok
      ? ok(result.value)
      : fail({ kind: "unavailable", what: `the journal cannot be written: ${result.error}` });
  }

  return {
    async accept(command) {
      const { length } = command.json;
      if (commands >= maxCommands || commandChars + length > maxCommandChars)
        return fail({ kind: "exhausted", what: "too many commands wait for the disk: try again later" });
      commands++;
      commandChars += length;
      const result = await put({ kind: "accept", ...command });
      commands--;
      commandChars -= length;
      return result;
    },
    put,
    error: () => error,
    waitingCommands: () => commands,
    async close() {
      closed = true;
      cancelProbe();
      await new Promise<void>((resolve) => {
        idle = resolve;
        schedule();
      });
    },
  };
}
