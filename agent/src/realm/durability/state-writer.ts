import type { Clock } from "@realmwatch/shared/model/clock";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { Notification } from "@realmwatch/shared/model/notification";
import { type Refusal, formatRefusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";
import { failpoint } from "@realmwatch/shared/platform/process/failpoint";
import { CommandProgress } from "./command-progress.ts";
import { OutboxBuffer } from "./outbox-buffer.ts";

/** What the loop needs of a journal. */
export interface LoopJournal {
  append(batch: {
    readonly states: readonly { readonly ref: string; readonly state: string | undefined }[];
    readonly program: string | undefined;
    readonly history: readonly HistoryEntry[];
    readonly appliedCommandSeq: number;
    readonly recordedCommandSeq: number;
    readonly notifications: readonly Notification[];
    readonly delivered: readonly string[];
  }): Promise<Result<{ readonly lastHistorySeq: number }, Refusal>>;
}

export type StateWriterOptions = {
  readonly clock: Clock;
  readonly journal: LoopJournal;
  /** Greatest command whose effect was in the states at the start. */
  readonly appliedCommandSeq: number;
  /** The object's state as JSON, with all that commands up to `commandSeq` did; undefined where it is gone. */
  serialize(ref: string, commandSeq: number): string | undefined;
  /** The realm's own state as JSON, stamped with the present. */
  serializeProgram(): string;
  advanced(lastHistorySeq: number): void;
  failed(why: string): void;
  healed(): void;
};

/** What one round wants kept. */
export type WriteRequest = {
  /** Objects that changed in a way that must survive. */
  readonly changed: readonly string[];
  /** Objects that a crash would bring there again: only commands that are on the disk changed them. */
  readonly held: readonly string[];
  /** Objects that are only fresher. */
  readonly fresher: readonly string[];
  readonly history: readonly HistoryEntry[];
  /** First and last command of the round; 0 for none. */
  readonly firstCommandSeq: number;
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
/** What is held is written after so long, ms, to twice as long; and before a start would have more effects to repeat. */
const holdMs = 2_000;
const mostRepeated = 20_000;
/** Held objects of one append: a round waits behind it. */
const heldSize = 500;
/** History that waits for a disk to come back; beyond it the oldest is dropped. */
const historyBacklog = 100_000;

/**
 * Brings what the loop changes into the journal: at once what must survive, now and then what is only fresher or what
 * commands on the disk stand for. While the journal fails nothing is lost but the guarantee: all of it waits here
 * (whoever was to be told is told meanwhile, and what was delivered by then is never written), and the sequence of
 * applied commands moves on disk only when everything is there that those commands changed.
 */
export class StateWriter {
  readonly #options: StateWriterOptions;
  readonly #dirty = new Set<string>();
  #backlog: HistoryEntry[] = [];
  readonly #outbox = new OutboxBuffer();
  readonly #commands: CommandProgress;
  #broken = false;
  /** While broken: something that must survive came after the last attempt to write everything had begun. */
  #late = false;
  #stopped = false;
  #writeBackMs: number = writeBackMs.first;
  #cancelTimer: () => void = () => {};
  #cancelHold: (() => void) | undefined;
  /** Appends that are under way. */
  #under: readonly Promise<boolean>[] = [];

  constructor(options: StateWriterOptions) {
    this.#options = options;
    this.#commands = new CommandProgress(options.appliedCommandSeq);
  }

  start(): void {
    this.#arm();
  }

  async keep(round: WriteRequest): Promise<void> {
    const { changed, held, fresher, history, commandSeq, programChanged, notifications = [], delivered = [] } = round;
    for (const refs of [fresher, held, changed]) for (const ref of refs) this.#dirty.add(ref);
    this.#backlog.push(...history);
    this.#commands.applied({ firstSeq: round.firstCommandSeq, lastSeq: commandSeq, held });
    this.#outbox.add(notifications, delivered);
    const told = notifications.length > 0 || delivered.length > 0;
    const refs = new Set(changed);
    // What is held would not come out the same under other switches.
    const due = this.#commands.heldBeyond(programChanged ? 0 : mostRepeated);
    for (const ref of due) refs.add(ref);
    const fruitless = commandSeq > 0 && held.length === 0;
    const worthIt = refs.size > 0 || history.length > 0 || programChanged || told || fruitless;
    if (this.#broken) this.#late ||= worthIt || held.length > 0;
    else if (worthIt) await this.#append([...refs], programChanged);
    this.#holdOn();
  }

  /** Writes all that is left. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    this.#cancelHold?.();
    await this.#writeBack();
  }

  /** Answers whether it is on the disk. */
  #append(refs: readonly string[], withProgram: boolean): Promise<boolean> {
    const done = this.#appendNow(refs, withProgram).finally(() => {
      this.#under = this.#under.filter((other) => other !== done);
    });
    this.#under = [...this.#under, done];
    return done;
  }

  /**
   * Resolves between two appends. What nobody waits for begins only then: while what a round had to tell is on its way,
   * and may yet fail, no state is written of which that is told.
   */
  async #calm(): Promise<void> {
    while (this.#under.length > 0) await Promise.all(this.#under);
  }

  async #appendNow(refs: readonly string[], withProgram: boolean): Promise<boolean> {
    const { journal, serialize, serializeProgram, advanced, failed } = this.#options;
    const history = this.#backlog;
    this.#backlog = [];
    const outbox = this.#outbox.take();
    for (const ref of refs) this.#dirty.delete(ref);
    const flight = this.#commands.begin(refs);
    if (outbox.notifications.length > 0) failpoint("before-intent");
    const kept = await journal.append({
      states: refs.map((ref) => ({ ref, state: serialize(ref, flight.commandSeq) })),
      program: withProgram ? serializeProgram() : undefined,
      history,
      appliedCommandSeq: flight.appliedSeq,
      recordedCommandSeq: flight.commandSeq,
      ...outbox,
    });
    if (kept.ok) {
      if (outbox.notifications.length > 0) failpoint("after-intent");
      if (outbox.delivered.length > 0) failpoint("after-sent");
      if (history.length > 0) advanced(kept.value.lastHistorySeq);
      this.#commands.succeeded(flight);
      return true;
    }
    this.#commands.failed(flight);
    for (const ref of refs) this.#dirty.add(ref);
    this.#outbox.putBack(outbox);
    this.#backlog = [...history, ...this.#backlog].slice(-historyBacklog);
    if (!this.#broken) failed(formatRefusal(kept.error));
    this.#broken = true;
    this.#arm();
    return false;
  }

  /** Sees to it that what is held now is written before long. */
  #holdOn(): void {
    if (this.#stopped || this.#cancelHold !== undefined || this.#commands.isDone) return;
    const { commandSeq } = this.#commands;
    this.#cancelHold = this.#options.clock.after(holdMs, async () => {
      await this.#writeHeld(commandSeq);
      this.#cancelHold = undefined;
      this.#holdOn();
    });
  }

  async #writeHeld(sinceSeq: number): Promise<void> {
    const refs = this.#commands.heldSince(sinceSeq);
    for (let at = 0; at === 0 || at < refs.length; at += heldSize) {
      await this.#calm();
      const still = refs.slice(at, at + heldSize).filter((ref) => this.#commands.isHeld(ref));
      if (this.#broken || !(await this.#append(still, false))) return;
    }
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
    await this.#calm();
    if (this.#broken) {
      this.#late = false;
      if (!(await this.#append([...this.#dirty], true))) return;
      this.#broken = this.#late;
      return this.#broken ? this.#writeBack() : this.#options.healed();
    }
    const refs = [...this.#dirty];
    for (let at = 0; at === 0 || at < refs.length; at += writeBackSize) {
      await this.#calm();
      if (this.#broken || !(await this.#append(refs.slice(at, at + writeBackSize), at === 0))) return;
    }
  }
}
