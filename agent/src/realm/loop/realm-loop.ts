import { showPlanDiff } from "@realmwatch/shared/config/show-plan-diff";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { AcceptedCommand, Command } from "@realmwatch/shared/model/command";
import type { CompletedDelivery, Notification } from "@realmwatch/shared/model/notification";
import type { RowChange } from "@realmwatch/shared/model/row";
import type { DropReason } from "../../engine/transition.ts";
import type { CheckResult } from "../../engine/input.ts";
import { type RoundChanges, newRoundChanges } from "./round-changes.ts";
import { RowRefreshQueue } from "../outputs/row-refresh-queue.ts";
import { DueQueue } from "../timers/due-queue.ts";
import type { HandlerEnd } from "../outputs/outcome-entries.ts";
import type { HandlerCall } from "../outputs/handler-call.ts";
import { StateWriter, type LoopJournal } from "../durability/state-writer.ts";
import { serializeObject } from "../durability/stored-object.ts";
import type { ObjectRecord } from "../state/object-record.ts";
import type { ProgramState } from "../state/program-state.ts";
import type { RealmState } from "../state/realm-state.ts";
import { RealmStepper, type StepScheduler } from "./realm-stepper.ts";
import type { Recovery } from "../durability/recover-state.ts";
import type { CommandReplay } from "../durability/command-replay.ts";
import { RowChangeBuilder, type RowUpdate } from "../outputs/row-change-builder.ts";
import type { PlanSwapResult } from "../reload/swap-plan.ts";
import { configHistoryEntry, type ReloadRound, reloadRounds } from "../reload/reload-rounds.ts";
import { type LoopInput, type InputTargets, applyInput } from "./loop-input.ts";
import { type PlanSwap, InputQueue } from "./input-queue.ts";
import { WallClockEvents } from "../timers/wall-clock-events.ts";

export type RealmLoopOptions = {
  readonly clock: Clock;
  readonly realm: RealmState;
  readonly journal: LoopJournal;
  readonly scheduler: StepScheduler;
  /** Greatest sequence of a command that the realm's state has in it already, with all before it; 0 for none. */
  readonly appliedCommandSeq: number;
  /** Of those that come first and were partly kept. */
  readonly replay: CommandReplay;
  /** Of this start, above 0; rows carry it. */
  readonly epoch: number;
  /** Rows have changed. Called after what made them is durable; must neither block nor throw. */
  rowsChanged(changes: readonly RowUpdate[]): void;
  /** Messages were decided on and are durable; each is answered for by `deliveriesEnded`. Must neither block nor throw. */
  notify(notifications: readonly Notification[]): void;
  /** Event handlers are to run; each is answered for by `handlerEnded`. Must neither block nor throw. */
  handle(calls: readonly HandlerCall[]): void;
  /** The realm's switches have changed. */
  programChanged(program: ProgramState): void;
  /** The journal's history has grown; its newest record has this place. */
  historyAdvanced(lastSeq: number): void;
  /** The journal takes nothing, in the system's words; the loop goes on in memory and tries again. Told once. */
  journalFailed(why: string): void;
  /** All that waited is on the disk. */
  journalHealed(): void;
  /** The wall clock was set, by so many ms; back where negative. */
  clockJumped?(byMs: number): void;
  /** A result was not taken: an older one than is known, or a submitted one that nobody wants. */
  resultDropped(why: DropReason): void;
};

/** Objects that a round does something for beside its inputs, at most. */
const besideSize = 1000;

/**
 * The realm's heart and the only writer of its state. A round takes what waits, steps the engine for
 * each, has the journal make it durable, and only then tells the listeners: nobody hears what a crash
 * could take back. Where the journal fails the loop goes on in memory and writes all of it later.
 */
export class RealmLoop {
  readonly #options: RealmLoopOptions;
  readonly #realm: RealmState;
  readonly #timers = new DueQueue();
  readonly #again = new Set<string>();
  readonly #covered = new RowRefreshQueue(besideSize);
  readonly #stepper: RealmStepper;
  readonly #taking: InputTargets;
  readonly #keeper: StateWriter;
  readonly #rows: RowChangeBuilder;
  readonly #wall: WallClockEvents;
  readonly #waiting: InputQueue;
  #round: Promise<void> | undefined;
  #lastTurnAtMs: number;

  constructor(options: RealmLoopOptions) {
    this.#options = options;
    this.#realm = options.realm;
    this.#waiting = new InputQueue(options.clock);
    this.#stepper = new RealmStepper({
      ...options,
      timers: this.#timers,
      reevaluationQueue: this.#again,
      resultDropped: options.resultDropped,
    });
    this.#taking = { clock: options.clock, realm: options.realm, stepper: this.#stepper };
    this.#keeper = new StateWriter({
      clock: options.clock,
      journal: options.journal,
      appliedCommandSeq: options.appliedCommandSeq,
      serialize: (ref, commandSeq) => this.#serialize(ref, commandSeq),
      serializeProgram: () => this.#serializeProgram(),
      advanced: options.historyAdvanced,
      failed: options.journalFailed,
      healed: options.journalHealed,
    });
    this.#rows = new RowChangeBuilder(options);
    this.#wall = new WallClockEvents({
      ...{ clock: options.clock, realm: options.realm, timers: this.#timers },
      due: (input) => this.#push(input),
      looked: () => this.#noteTurn(),
    });
    this.#lastTurnAtMs = options.clock.monotonic();
  }

  /** Commands accepted and not yet applied. */
  get commandsWaiting(): number {
    return this.#waiting.commands;
  }

  get inputsWaiting(): number {
    return this.#waiting.size + this.#leftOver;
  }

  /** What rounds have left to the next ones. */
  get #leftOver(): number {
    return this.#again.size + this.#covered.waiting + this.#stepper.checksPending;
  }

  get revision(): number {
    return this.#rows.revision;
  }

  get epoch(): number {
    return this.#rows.epoch;
  }

  /** ms since the loop last had a turn: a loop that is alive takes one at least every second. */
  get idleMs(): number {
    return this.#options.clock.monotonic() - this.#lastTurnAtMs;
  }

  /** Rows of every object, as they are now. */
  allRows(): Generator<RowChange> {
    return this.#rows.allRows();
  }

  /** Evaluates what depends on others, arms the timers, and begins to take inputs. */
  start(): void {
    const nowMs = this.#options.clock.now();
    for (const { plan } of this.#realm.records.values()) {
      this.#timers.set(plan.ref, nowMs);
      if (plan.key.kind === "process") this.#push({ kind: "evaluate", ref: plan.ref });
    }
    this.#wall.poll();
    this.#keeper.start();
  }

  /** A newer epoch was minted: every row is new to whoever follows. */
  renumber(epoch: number): void {
    this.#rows.renumber(epoch);
  }

  /** The result of a check of ours. */
  submitResult(ref: string, result: CheckResult): void {
    this.#push({ kind: "input", ref, input: { kind: "result", result } });
  }

  /** Announces a command that is about to be accepted; see `AnnotationIndex.announce`. */
  announceCommand(command: Command): () => void {
    return this.#realm.annotations.announce(command);
  }

  /** A command that is durable already. They come in the order of their sequence. */
  submitCommand(accepted: AcceptedCommand): void {
    this.#push({ kind: "command", accepted });
  }

  /** Messages have arrived, or never will. Resolves when that is as durable as it gets. */
  deliveriesEnded(ends: readonly CompletedDelivery[]): Promise<void> {
    return new Promise((kept) => this.#push({ kind: "delivered", ends, kept }));
  }

  handlerEnded(end: HandlerEnd): void {
    this.#push({ kind: "handled", end });
  }

  /** The scheduler moved a check without running it; with `missedTurnAtMs` to make up for that turn. Unix ms. */
  postponed(ref: string, nextCheckAtMs: number | undefined, missedTurnAtMs?: number): void {
    this.#push({ kind: "postponed", ref, nextCheckAtMs, missedTurnAtMs });
  }

  /**
   * [RL9] Makes of what an earlier start left what a reload would have made of it, and keeps it. Call it before
   * anything else is taken.
   */
  async applyRecovery({ gone, changed, history }: Pick<Recovery, "gone" | "changed" | "history">): Promise<void> {
    if (history.length === 0 && changed.length === 0) return;
    const effects = { history, touched: changed, gone, covered: [], processes: [] };
    for (const round of reloadRounds(effects, besideSize)) await this.#runSwapRound(round);
  }

  /** Has `swap` run between two rounds, then keeps and tells what it changed. Resolves when that is done. */
  swapPlan(swap: () => Promise<PlanSwapResult>): Promise<PlanSwapResult> {
    return new Promise((done) => this.#push({ kind: "plan", swap, done }));
  }

  /** Resolves when nothing waits. */
  async settled(): Promise<void> {
    while (this.#round !== undefined) await this.#round;
  }

  /** Takes what waits, writes all that is dirty, and takes no more. */
  async stop(): Promise<void> {
    this.#wall.stop();
    await this.settled();
    await this.#keeper.stop();
  }

  #push(waiting: LoopInput | PlanSwap): void {
    this.#waiting.add(waiting);
    this.#wake();
  }

  #wake(): void {
    if (this.#round !== undefined) return;
    this.#round = this.#rounds().finally(() => {
      this.#round = undefined;
      if (this.#waiting.size > 0) this.#wake();
    });
  }

  async #rounds(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      const plan = this.#waiting.takePlan();
      if (plan !== undefined) {
        await this.#swapPlan(plan);
        continue;
      }
      await this.#runRound();
      if (this.#waiting.size > 0) await new Promise<void>((go) => this.#options.clock.after(0, go));
    }
  }

  async #runRound(): Promise<void> {
    this.#noteTurn();
    const batch = newRoundChanges();
    this.#followJump(batch);
    this.#waiting.take((input) => applyInput(input, batch, this.#taking));
    await this.#finishRound(batch, []);
  }

  async #finishRound(batch: RoundChanges, gone: readonly ObjectRecord[]): Promise<void> {
    this.#followThrough(batch);
    this.#stepper.requestChecks(besideSize);
    this.#covered.spread(batch);
    await this.#keep(batch);
    for (const kept of batch.afterAppend) kept();
    this.#tell(batch, gone);
    if (this.#leftOver > 0) this.#push({ kind: "round" });
    this.#wall.hasten();
  }

  /** What the round's steps mean for others, up to a round's worth of looks; what is left waits for the next one. */
  #followThrough(batch: RoundChanges): void {
    let left = besideSize;
    do {
      this.#stepper.evaluateAll(batch);
      const waiting = this.#again.size;
      this.#stepper.runReevaluations(batch, left);
      left -= waiting;
    } while (left > 0 && (batch.processesToEvaluate.size > 0 || this.#again.size > 0));
    if (batch.processesToEvaluate.size > 0) this.#stepper.evaluateAll(batch);
  }

  /** [RL3] Between two rounds the plan becomes another one; what that changes is kept and told in pieces. */
  async #swapPlan({ swap, done }: PlanSwap): Promise<void> {
    const swapped = await swap();
    const { clock } = this.#options;
    const nowMs = clock.now();
    const touched = [...swapped.added, ...swapped.changed.map(({ after }) => after)].map(({ ref }) => ref);
    for (const ref of [...touched, ...swapped.resettle]) this.#timers.set(ref, nowMs);
    for (const { plan } of swapped.gone) this.#timers.delete(plan.ref);
    this.#stepper.lookAgainAt(swapped.open);
    const history = [configHistoryEntry(showPlanDiff(swapped).join("; "), nowMs), ...swapped.overruled];
    for (const round of reloadRounds({ ...swapped, history, touched }, besideSize)) {
      await this.#runSwapRound(round);
      await new Promise<void>((go) => clock.after(0, go));
    }
    done(swapped);
  }

  async #runSwapRound({ batch, gone }: ReloadRound): Promise<void> {
    for (const record of gone) this.#stepper.notifyRemoved(record, batch);
    await this.#finishRound(batch, gone);
  }

  #keep(batch: RoundChanges): Promise<void> {
    const [fresher, held, changed]: [string[], string[], string[]] = [[], [], []];
    const lists = { fresher, commanded: held, changed };
    for (const [ref, weight] of batch.objects) lists[weight].push(ref);
    return this.#keeper.keep({ changed, held, fresher, ...batch });
  }

  #serialize(ref: string, commandSeq: number): string | undefined {
    const record = this.#realm.records.get(ref);
    return record && serializeObject(record, this.#realm.plan, this.#options.replay.upTo(ref, commandSeq));
  }

  #serializeProgram(): string {
    const { program, plan } = this.#realm;
    return JSON.stringify({ ...program, aliveAtMs: this.#options.clock.now(), configHash: plan.hash });
  }

  #tell(batch: RoundChanges, gone: readonly ObjectRecord[]): void {
    const changes = this.#rows.changesOf(batch, gone);
    if (changes.length > 0) this.#options.rowsChanged(changes);
    if (batch.notifications.length > 0) this.#options.notify(batch.notifications);
    if (batch.handlerCalls.length > 0) this.#options.handle(batch.handlerCalls);
    if (batch.programChanged) this.#options.programChanged(this.#realm.program);
  }

  #noteTurn(): void {
    this.#lastTurnAtMs = this.#options.clock.monotonic();
  }

  /** [FR6, NO22] Comes before a round's own inputs, which are of after the jump. */
  #followJump(batch: RoundChanges): void {
    const byMs = this.#wall.takeJump();
    if (byMs === 0) return;
    this.#options.clockJumped?.(byMs);
    for (const ref of this.#wall.objectsWithWallTimes()) this.#stepper.step(ref, { kind: "clock_jump", byMs }, batch);
  }
}
