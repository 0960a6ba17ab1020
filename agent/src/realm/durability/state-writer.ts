import type { Clock } from "@realmwatch/shared/model/clock";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { formatRefusal, type Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";
import { failpoint } from "@realmwatch/shared/platform/process/failpoint";
import type { JournalBatch } from "../../journal/journal-batch.ts";
import type { RoundChanges } from "../loop/round-changes.ts";
import { OutboxBuffer } from "./outbox-buffer.ts";

/** The part of a journal that the realm loop writes to. */
export interface LoopJournal {
  /** Writes everything in one transaction. */
  append(batch: Required<Omit<JournalBatch, "merged">>): Promise<Result<{ readonly lastHistorySeq: number }, Refusal>>;
}

export type StateWriterOptions = {
  readonly clock: Clock;
  readonly journal: LoopJournal;
  /** Sequence number of the last command whose effects were in the journal at the start; 0 for none. */
  readonly appliedCommandSeq: number;
  /** Last command whose performance data is in the log of the sinks. Default: the last one applied. */
  takenCommandSeq?(): number;
  /** Serializes the present state of an object; undefined when the object was removed. */
  serialize(ref: string): string | undefined;
  /** Serializes the program state with the present time. */
  serializeProgram(): string;
  /** Called with the entries that the journal has taken, and the number of the last one. */
  advanced(lastHistorySeq: number, entries: readonly HistoryEntry[]): void;
  failed(why: string): void;
  healed(): void;
};

/**
 * Interval of background writes, ms. It doubles from the first to the longest, so that an agent that is killed again
 * and again still makes progress with its checks.
 */
const backgroundWriteMs = { first: 2_000, longest: 30_000 } as const;
/** Interval at which a failed journal is retried, ms. */
const retryMs = 1000;
/** Maximum number of states in one background append. */
const maxStatesPerAppend = 5000;
/** Number of history entries kept while the journal fails; beyond it the oldest are dropped. */
const maxBacklog = 100_000;

/**
 * Writes the changes of the realm loop to the journal: those of `immediate` urgency with their round, `background`
 * states at intervals. While the journal fails, all changes are collected in memory, rounds go on and are published,
 * and everything is written in one transaction as soon as the journal works again. `appliedCommandSeq` therefore never
 * runs ahead of the effects of a command.
 */
export class StateWriter {
  readonly #options: StateWriterOptions;
  readonly #dirty = new Set<string>();
  #backlog: HistoryEntry[] = [];
  readonly #outbox = new OutboxBuffer();
  #commandSeq: number;
  #broken = false;
  /** True if, since the last attempt to write everything began, a round made changes that must be written at once. */
  #dirtySinceRetry = false;
  #stopped = false;
  /** Everything that was left at the stop is written: the journal is closed soon. */
  #isFinished = false;
  #backgroundWriteMs: number = backgroundWriteMs.first;
  #cancelTimer: () => void = () => {};
  #pendingAppends: readonly Promise<boolean>[] = [];

  constructor(options: StateWriterOptions) {
    this.#options = options;
    this.#commandSeq = options.appliedCommandSeq;
  }

  /** Starts the background writes. */
  start(): void {
    this.#scheduleBackgroundWrite();
  }

  /**
   * Writes the changes of one round. Resolves when its append has succeeded or failed, with true if everything that had
   * to be written is durable; never rejects.
   */
  async write(changes: RoundChanges): Promise<boolean> {
    const { objects, history, commandSeq, notifications, rewritten, delivered, probes } = changes;
    const withProgram = changes.programChanged || probes.length > 0;
    const immediate: string[] = [];
    for (const [ref, urgency] of objects) {
      this.#dirty.add(ref);
      if (urgency === "immediate") immediate.push(ref);
    }
    this.#backlog.push(...history);
    if (commandSeq > 0) this.#commandSeq = commandSeq;
    this.#outbox.add([...notifications, ...rewritten], delivered);
    const outboxChanged = notifications.length > 0 || rewritten.length > 0 || delivered.length > 0;
    const mustWrite = immediate.length > 0 || history.length > 0 || commandSeq > 0 || withProgram || outboxChanged;
    if (!mustWrite) return !this.#broken;
    if (!this.#broken) return this.#append(immediate, withProgram);
    this.#dirtySinceRetry = true;
    return false;
  }

  /** Writes everything that is left, and stops the background writes. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    await this.#writeBackground();
    this.#isFinished = true;
  }

  /** Returns true if the append succeeded. */
  #append(refs: readonly string[], withProgram: boolean): Promise<boolean> {
    const pending = this.#appendNow(refs, withProgram).finally(() => {
      this.#pendingAppends = this.#pendingAppends.filter((other) => other !== pending);
    });
    this.#pendingAppends = [...this.#pendingAppends, pending];
    return pending;
  }

  /**
   * Resolves when no append is pending. Background writes start only then: they carry the sequence number of the last
   * applied command, and if the append of that command's effects failed, the command would be lost.
   */
  async #noAppendPending(): Promise<void> {
    while (this.#pendingAppends.length > 0) await Promise.all(this.#pendingAppends);
  }

  async #appendNow(refs: readonly string[], withProgram: boolean): Promise<boolean> {
    const { journal, serialize, serializeProgram, advanced, failed } = this.#options;
    const history = this.#backlog;
    this.#backlog = [];
    const outbox = this.#outbox.take();
    for (const ref of refs) this.#dirty.delete(ref);
    if (outbox.notifications.length > 0) failpoint("before-intent");
    const appended = await journal.append({
      states: refs.map((ref) => ({ ref, state: serialize(ref) })),
      program: withProgram ? serializeProgram() : undefined,
      history,
      appliedCommandSeq: this.#commandSeq,
      takenCommandSeq: this.#options.takenCommandSeq?.() ?? this.#commandSeq,
      ...outbox,
    });
    if (appended.ok) {
      if (outbox.notifications.length > 0) failpoint("after-intent");
      if (outbox.delivered.length > 0) failpoint("after-sent");
      if (history.length > 0) advanced(appended.value.lastHistorySeq, history);
      return true;
    }
    for (const ref of refs) this.#dirty.add(ref);
    this.#outbox.putBack(outbox);
    this.#backlog = [...history, ...this.#backlog].slice(-maxBacklog);
    // The journal has the commands that are applied after the stop, and they are applied again at the next start.
    if (!this.#broken && !this.#isFinished) failed(formatRefusal(appended.error));
    this.#broken = true;
    this.#scheduleBackgroundWrite();
    return false;
  }

  #scheduleBackgroundWrite(): void {
    this.#cancelTimer();
    if (this.#stopped) return;
    this.#cancelTimer = this.#options.clock.after(this.#broken ? retryMs : this.#backgroundWriteMs, async () => {
      this.#backgroundWriteMs = Math.min(2 * this.#backgroundWriteMs, backgroundWriteMs.longest);
      await this.#writeBackground();
      this.#scheduleBackgroundWrite();
    });
  }

  /** After a failure everything is written in one transaction, so that commands stay together with their effects. */
  async #writeBackground(): Promise<void> {
    await this.#noAppendPending();
    if (this.#broken) {
      this.#dirtySinceRetry = false;
      if (!(await this.#append([...this.#dirty], true))) return;
      this.#broken = this.#dirtySinceRetry;
      return this.#broken ? this.#writeBackground() : this.#options.healed();
    }
    const refs = [...this.#dirty];
    for (let at = 0; at === 0 || at < refs.length; at += maxStatesPerAppend) {
      await this.#noAppendPending();
      if (this.#broken || !(await this.#append(refs.slice(at, at + maxStatesPerAppend), at === 0))) return;
    }
  }
}
