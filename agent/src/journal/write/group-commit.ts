import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { AuditEntry } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import type { WriteResult, WriteOperation } from "../threads/journal-protocol.ts";

/** Commands that may wait for the disk, and their size in UTF-16 units; further ones are refused. */
const mostCommands = 10_000;
const mostCommandChars = 64 * 1024 * 1024;
const probeEveryMs = 5_000;

export type GroupCommit = {
  /** As `put`, for a command; refused as `exhausted` where too many wait. */
  accept(json: string, audit: readonly AuditEntry[]): Promise<Result<number, Refusal>>;
  /** Resolves once `op` is durable, with what the write answered; or refuses as `unavailable`. */
  put(op: WriteOperation): Promise<Result<number, Refusal>>;
  /** Why the last write failed; empty where it did not. */
  error(): string;
  waitingCommands(): number;
  /** Resolves when all that was put is done. What comes later is refused. */
  close(): Promise<void>;
};

type Waiting = { readonly op: WriteOperation; done(answer: WriteResult): void };

/**
 * Collects what wants to be durable. One group is on its way to the disk at a time; whatever comes meanwhile,
 * and whatever comes in one turn of the event loop, is the next group and shares one sync.
 */
export function openGroupCommit(io: {
  readonly clock: Clock;
  onSync(ms: number): void;
  write(ops: readonly WriteOperation[]): Promise<readonly WriteResult[]>;
}): GroupCommit {
  let next: Waiting[] = [];
  let under: "nothing" | "scheduled" | "write" = "nothing";
  let error = "";
  let commands = 0;
  let commandChars = 0;
  let closed = false;
  let idle: (() => void) | undefined;
  let cancelProbe = (): void => {};

  function schedule(): void {
    if (under !== "nothing") return;
    if (next.length === 0) {
      idle?.();
      return;
    }
    under = "scheduled";
    // An immediate runs after everything that this turn of the loop brought in.
    setImmediate(flush);
  }

  async function flush(): Promise<void> {
    under = "write";
    const group = next;
    next = [];
    const startedMs = io.clock.monotonic();
    const answers = await write(group.map((waiting) => waiting.op));
    io.onSync(io.clock.monotonic() - startedMs);
    learn(answers);
    group.forEach((waiting, i) => {
      waiting.done(answers[i] ?? { ok: false, error: "no answer" });
    });
    under = "nothing";
    schedule();
  }

  async function write(ops: readonly WriteOperation[]): Promise<readonly WriteResult[]> {
    try {
      return await io.write(ops);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      return ops.map(() => ({ ok: false, error: why }));
    }
  }

  /** Without anybody who writes, a probe finds out when the disk is back. */
  function learn(answers: readonly WriteResult[]): void {
    const failed = answers.find((answer) => !answer.ok);
    error = failed && !failed.ok ? failed.error : "";
    cancelProbe();
    if (failed && !closed) cancelProbe = io.clock.after(probeEveryMs, () => void put({ kind: "probe" }));
  }

  async function put(op: WriteOperation): Promise<Result<number, Refusal>> {
    if (closed) return fail({ kind: "unavailable", what: "the journal is closed" });
    const answer = await new Promise<WriteResult>((done) => {
      next.push({ op, done });
      schedule();
    });
    return answer.ok
      ? ok(answer.value)
      : fail({ kind: "unavailable", what: `the journal cannot be written: ${answer.error}` });
  }

  return {
    async accept(json, audit) {
      if (commands >= mostCommands || commandChars + json.length > mostCommandChars)
        return fail({ kind: "exhausted", what: "too many commands wait for the disk: try again later" });
      commands++;
      commandChars += json.length;
      const answer = await put({ kind: "accept", json, audit });
      commands--;
      commandChars -= json.length;
      return answer;
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
