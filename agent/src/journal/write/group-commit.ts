import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { GroupWaiter } from "../shipping/group-shipping.ts";
import { isShared, type WriteOf, type WriteOperation, type WriteResult } from "./write-operation.ts";

/** Most commands that may wait for the disk, and their most UTF-16 units; further commands are refused. */
const maxCommands = 10_000;
const maxCommandChars = 64 * 1024 * 1024;
/** Length of the commands in a group after which no further write is added, UTF-16 units: a standby gets groups whole. */
const maxGroupChars = 16 * 1024 * 1024;
const probeEveryMs = 5_000;

type PendingWrite = {
  readonly op: WriteOperation;
  /** `unconfirmed`: why the other member of a pair may lack what was written; empty otherwise. */
  done(result: WriteResult, unconfirmed: string): void;
};

/** Writes whose callers are told that they are done: they must not be told so when only this member has them. */
const acknowledgedWrites: ReadonlySet<WriteOperation["kind"]> = new Set(["accept", "answer", "audit"]);
const waiterOf = ({ op }: { readonly op: WriteOperation }): GroupWaiter =>
  acknowledgedWrites.has(op.kind) ? "client" : "engine";

const charsOf = ({ json, alerts = [] }: Omit<WriteOf<"accept">, "kind">): number =>
  alerts.reduce((sum, alert) => sum + alert.key.length + (alert.json?.length ?? 0), json.length);

type GroupCommitOptions = {
  readonly clock: Clock;
  onSync(ms: number): void;
  write(ops: readonly WriteOperation[]): Promise<readonly WriteResult[]>;
  /**
   * Called after each write with operations that the other member of a pair applies. Their callers are answered once it
   * resolves with ok, in order; the next group is written meanwhile. Default: they are answered at once.
   */
  confirmed?(waiter: GroupWaiter): Promise<Result<void, string>>;
};

/**
 * Groups writes so that each group needs one sync. One group is written at a time; writes that arrive meanwhile, or in
 * one turn of the event loop, form the next group.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #next: PendingWrite[] = [];
  #phase: "idle" | "scheduled" | "writing" = "idle";
  #error = "";
  #commands = 0;
  #commandChars = 0;
  #closed = false;
  #idle: (() => void) | undefined;
  #cancelProbe = (): void => {};

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Error of the last write; empty when it succeeded. */
  get error(): string {
    return this.#error;
  }

  /** Writes a command as `put` does; refused as `exhausted` when too many commands wait. */
  async accept(command: Omit<WriteOf<"accept">, "kind">): Promise<Result<number, Refusal>> {
    const chars = charsOf(command);
    if (this.#commands >= maxCommands || this.#commandChars + chars > maxCommandChars)
      return fail({ kind: "exhausted", what: "too many commands wait for the disk: try again later" });
    this.#commands++;
    this.#commandChars += chars;
    const result = await this.put({ kind: "accept", ...command });
    this.#commands--;
    this.#commandChars -= chars;
    return result;
  }

  /**
   * Resolves with the value of the write once `op` is durable, or is refused as `unavailable`. `unanswered`: it is
   * durable here, and this member of a pair gave up its role before the other one had confirmed it.
   */
  async put(op: WriteOperation): Promise<Result<number, Refusal>> {
    if (this.#closed) return fail({ kind: "unavailable", what: "the journal is closed" });
    const [result, unconfirmed] = await new Promise<[WriteResult, string]>((resolve) => {
      this.#next.push({ op, done: (...outcome) => resolve(outcome) });
      this.#schedule();
    });
    if (result.ok && unconfirmed !== "" && acknowledgedWrites.has(op.kind))
      return fail({ kind: "unanswered", what: unconfirmed });
    return result.ok ? result : fail({ kind: "unavailable", what: `the journal cannot be written: ${result.error}` });
  }

  /** Refuses further writes; resolves when the pending ones have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelProbe();
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#phase !== "idle") return;
    if (this.#next.length === 0) {
      this.#idle?.();
      return;
    }
    this.#phase = "scheduled";
    // An immediate runs after all input of this turn of the event loop.
    setImmediate(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    const { clock, onSync, confirmed } = this.#options;
    this.#phase = "writing";
    const group = this.#takeGroup();
    const startedMs = clock.monotonic();
    const results = await this.#write(group.map(({ op }) => op));
    onSync(clock.monotonic() - startedMs);
    this.#updateHealth(results);
    const answers = group.map(({ op, done }, i) => ({ op, done, result: results[i] ?? fail("no answer") }));
    const waits = ({ op, result }: (typeof answers)[number]): boolean =>
      confirmed !== undefined && result.ok && isShared(op);
    for (const each of answers) if (!waits(each)) each.done(each.result, "");
    const waiting = Object.groupBy(answers.filter(waits), waiterOf);
    for (const waiter of ["client", "engine"] as const) {
      const own = waiting[waiter];
      if (confirmed === undefined || own === undefined) continue;
      void confirmed(waiter).then((outcome) => {
        for (const { done, result } of own) done(result, outcome.ok ? "" : outcome.error);
      });
    }
    this.#phase = "idle";
    this.#schedule();
  }

  #takeGroup(): readonly PendingWrite[] {
    let chars = 0;
    const count = this.#next.findIndex(({ op }, at) => {
      chars += op.kind === "accept" ? charsOf(op) : 0;
      return at > 0 && chars > maxGroupChars;
    });
    return this.#next.splice(0, count < 0 ? this.#next.length : count);
  }

  async #write(ops: readonly WriteOperation[]): Promise<readonly WriteResult[]> {
    try {
      return await this.#options.write(ops);
    } catch (thrown) {
      const failed = fail(errorText(thrown));
      return ops.map(() => failed);
    }
  }

  /** Notes the error. After a failure, probes detect the recovery of the disk even when there is no other write. */
  #updateHealth(results: readonly WriteResult[]): void {
    const failed = results.find((result) => !result.ok);
    this.#error = failed && !failed.ok ? failed.error : "";
    this.#cancelProbe();
    if (failed && !this.#closed)
      this.#cancelProbe = this.#options.clock.after(probeEveryMs, () => void this.put({ kind: "probe" }));
  }
}
