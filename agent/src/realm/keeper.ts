import { crashPoint } from "@realmwatch/shared/tools/crash-point";
import type { Clock } from "@realmwatch/shared/words/clock";
import type { HistoryEntry } from "@realmwatch/shared/words/history";
import type { Notification } from "@realmwatch/shared/words/notification";
import { type Refusal, showRefusal } from "@realmwatch/shared/words/refusal";
import type { Result } from "@realmwatch/shared/words/result";
import { OutboxBacklog } from "./outbox-backlog.ts";

/** What the loop needs of a journal. */
export interface LoopJournal {
  append(batch: {
    readonly states: readonly { readonly ref: string; readonly state: string | undefined }[];
    readonly program: string | undefined;
    readonly history: readonly HistoryEntry[];
    readonly appliedCommandSeq: number;
    readonly notifications: readonly Notification[];
    readonly delivered: readonly string[];
  }): Promise<Result<{ readonly lastHistorySeq: number }, Refusal>>;
}

export type KeeperOptions = {
  readonly clock: Clock;
  readonly journal: LoopJournal;
  /** Greatest command whose effect was in the states at the start. */
  readonly appliedCommandSeq: number;
  /** The object's state as JSON; undefined where it is gone. */
  serialize(ref: string): string | undefined;
  /** The realm's own state as JSON, stamped with the present. */
  serializeProgram(): string;
  advanced(lastHistorySeq: number): void;
  failed(why: string): void;
  healed(): void;
};

/** What one round wants kept. */
export type Keepsake = {
  /** Objects that changed in a way that must survive. */
  readonly changed: readonly string[];
  /** Objects that are only fresher. */
  readonly fresher: readonly string[];
  readonly history: readonly HistoryEntry[];
  /** Greatest command of the round; 0 for none. */
  readonly commandSeq: number;
  readonly programChanged: boolean;
  /** Decided in this round: kept until their delivery ends. */
  readonly notifications?: readonly Notification[];
  /** Ids of notifications whose delivery has ended. */
  readonly delivered?: readonly string[];
};

/**
 * What is only fresher is written this often, ms, and at first more often, so that an agent which is killed again and
 * again gets on with its checks; where the journal fails it is tried again this often, ms.
 */
const writeBackMs = { first: 2_000, most: 30_000 } as const;
const retryMs = 1000;
const writeBackSize = 5000;
/** History that waits for a disk to come back; beyond it the oldest is dropped. */
const historyBacklog = 100_000;

/**
 * Brings what the loop changes into the journal: at once what must survive, now and then what is only
 * fresher. While the journal fails nothing is lost but the guarantee: all of it waits here (whoever was to be
 * told is told meanwhile, and what was delivered by then is never written), and the sequence of applied commands moves on disk only together with everything those commands changed.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #dirty = new Set<string>();
  #backlog: HistoryEntry[] = [];
  readonly #outbox = new OutboxBacklog();
  #commandSeq: number;
  #broken = false;
  /** While broken: something that must survive came after the last attempt to write everything had begun. */
  #late = false;
  #stopped = false;
  #writeBackMs: number = writeBackMs.first;
  #cancelTimer: () => void = () => {};

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#commandSeq = options.appliedCommandSeq;
  }

  start(): void {
    this.#arm();
  }

  async keep(round: Keepsake): Promise<void> {
    const { changed, fresher, history, commandSeq, programChanged, notifications = [], delivered = [] } = round;
    for (const ref of fresher) this.#dirty.add(ref);
    for (const ref of changed) this.#dirty.add(ref);
    this.#backlog.push(...history);
    if (commandSeq > 0) this.#commandSeq = commandSeq;
    this.#outbox.add(notifications, delivered);
    const told = notifications.length > 0 || delivered.length > 0;
    const worthIt = changed.length > 0 || history.length > 0 || commandSeq > 0 || programChanged || told;
    if (this.#broken) this.#late ||= worthIt;
    else if (worthIt) await this.#append(changed, programChanged);
  }

  /** Writes all that is left. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    await this.#writeBack();
  }

  async #append(refs: readonly string[], withProgram: boolean): Promise<boolean> {
    const { journal, serialize, serializeProgram, advanced, failed } = this.#options;
    const history = this.#backlog;
    this.#backlog = [];
    const outbox = this.#outbox.take();
    for (const ref of refs) this.#dirty.delete(ref);
    if (outbox.notifications.length > 0) crashPoint("before-intent");
    const kept = await journal.append({
      states: refs.map((ref) => ({ ref, state: serialize(ref) })),
      program: withProgram ? serializeProgram() : undefined,
      history,
      appliedCommandSeq: this.#commandSeq,
      ...outbox,
    });
    if (kept.ok) {
      if (outbox.notifications.length > 0) crashPoint("after-intent");
      if (outbox.delivered.length > 0) crashPoint("after-sent");
      if (history.length > 0) advanced(kept.value.lastHistorySeq);
      return true;
    }
    for (const ref of refs) this.#dirty.add(ref);
    this.#outbox.putBack(outbox);
    this.#backlog = [...history, ...this.#backlog].slice(-historyBacklog);
    if (!this.#broken) failed(showRefusal(kept.error));
    this.#broken = true;
    this.#arm();
    return false;
  }

  #arm(): void {
    this.#cancelTimer();
    if (this.#stopped) return;
    this.#cancelTimer = this.#options.clock.after(this.#broken ? retryMs : this.#writeBackMs, async () => {
      this.#writeBackMs = Math.min(2 * this.#writeBackMs, writeBackMs.most);
      await this.#writeBack();
      this.#arm();
    });
  }

  /** After a failure everything goes in one transaction, so that commands and their effects stay together. */
  async #writeBack(): Promise<void> {
    if (this.#broken) {
      this.#late = false;
      if (!(await this.#append([...this.#dirty], true))) return;
      this.#broken = this.#late;
      return this.#broken ? this.#writeBack() : this.#options.healed();
    }
    const refs = [...this.#dirty];
    for (let at = 0; at === 0 || at < refs.length; at += writeBackSize)
      if (!(await this.#append(refs.slice(at, at + writeBackSize), at === 0))) return;
  }
}
