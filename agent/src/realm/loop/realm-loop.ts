import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import { formatPlanDiff } from "@realmwatch/shared/config/diff/format-plan-diff";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { DropReason } from "../../engine/transition.ts";
import type { Recovery } from "../durability/recover-state.ts";
import { StateWriter, type StateWriterOptions } from "../durability/state-writer.ts";
import { serializeObject } from "../durability/stored-object.ts";
import type { RowChangeBuilder } from "../outputs/row-change-builder.ts";
import { RowRefreshQueue } from "../outputs/row-refresh-queue.ts";
import { configHistoryEntry, type ReloadRound, reloadRounds } from "../reload/reload-rounds.ts";
import type { ObjectRecord } from "../state/object-record.ts";
import type { RealmState } from "../state/realm-state.ts";
import { DueQueue } from "../timers/due-queue.ts";
import { WallClockEvents } from "../timers/wall-clock-events.ts";
import { applyInput, type InputTargets, type PlanSwap, type RealmInputs } from "./realm-inputs.ts";
import { RealmStepper, type StepScheduler } from "./realm-stepper.ts";
import { newRoundChanges, type RoundChanges } from "./round-changes.ts";
import { RoundPublisher, type RoundReceivers } from "./round-publisher.ts";

/** Receivers of what the loop does. They must neither block nor throw. */
export type LoopReceivers = RoundReceivers & {
  /** Last command whose performance data is recorded: it need not be kept. Default: the last one applied. */
  takenCommandSeq?(): number;
  /** Reports that the journal's history has grown by `entries` up to `lastSeq`. */
  historyAdvanced(lastSeq: number, entries: readonly HistoryEntry[]): void;
  /** Reports, once, that the journal fails; the loop goes on in memory and retries. `why` is the system's message. */
  journalFailed(why: string): void;
  /** Reports that a failed journal has caught up. */
  journalHealed(): void;
  /** Reports that the wall clock was set by so many ms, negative when set back. */
  clockJumped?(byMs: number): void;
  /** Reports that a check result was dropped. */
  resultDropped(why: DropReason): void;
  /** Reports that the effects of the command `seq` can be read, so many ms after it was accepted. */
  commandApplied?(seq: number, latencyMs: number): void;
};

type RealmLoopOptions = LoopReceivers &
  Pick<StateWriterOptions, "clock" | "journal" | "appliedCommandSeq"> & {
    readonly realm: RealmState;
    readonly rows: RowChangeBuilder;
    readonly inputs: RealmInputs;
    readonly scheduler: StepScheduler;
  };

/** Maximum number of re-evaluations, on-demand checks and refreshed rows of one round, each. */
const sideEffectsPerRound = 1000;

/**
 * The event loop of a realm and the only writer of its state. A round takes the waiting inputs, steps the engine for
 * each, writes the changes to the journal, and only then publishes them; see `RoundChanges` for the order and the exception. Therefore no
 * effect is visible that a crash could take back. While the journal fails the loop goes on in memory.
 */
export class RealmLoop {
  readonly #options: RealmLoopOptions;
  readonly #realm: RealmState;
  readonly #timers = new DueQueue();
  readonly #reevaluationQueue = new Set<string>();
  readonly #rowRefreshQueue = new RowRefreshQueue(sideEffectsPerRound);
  readonly #stepper: RealmStepper;
  readonly #inputTargets: InputTargets;
  readonly #stateWriter: StateWriter;
  readonly #publisher: RoundPublisher;
  readonly #wallClock: WallClockEvents;
  readonly #inputs: RealmInputs;
  #rounds: Promise<void> | undefined;
  #lastActiveAtMs: number;

  constructor(options: RealmLoopOptions) {
    const { clock, realm } = options;
    this.#options = options;
    this.#realm = realm;
    this.#inputs = options.inputs;
    this.#stepper = new RealmStepper({
      ...options,
      timers: this.#timers,
      reevaluationQueue: this.#reevaluationQueue,
    });
    this.#inputTargets = { clock, realm, stepper: this.#stepper };
    this.#stateWriter = new StateWriter({
      clock,
      journal: options.journal,
      appliedCommandSeq: options.appliedCommandSeq,
      takenCommandSeq: () => options.takenCommandSeq?.() ?? Number.MAX_SAFE_INTEGER,
      serialize: (ref) => this.#serialize(ref),
      serializeProgram: () => this.#serializeProgram(),
      advanced: options.historyAdvanced,
      failed: options.journalFailed,
      healed: options.journalHealed,
    });
    this.#publisher = new RoundPublisher(options);
    this.#wallClock = new WallClockEvents({
      ...{ clock, realm, timers: this.#timers },
      due: (input) => this.#inputs.add(input),
      polled: () => this.#noteActive(),
    });
    this.#lastActiveAtMs = clock.monotonic();
    void this.#run();
  }

  get inputsWaiting(): number {
    return this.#inputs.size + this.#leftOver;
  }

  /** Amount of work that earlier rounds left to later ones. */
  get #leftOver(): number {
    return this.#reevaluationQueue.size + this.#rowRefreshQueue.waiting + this.#stepper.checksPending;
  }

  /** Time since the loop was last active, ms. A healthy loop is active at least every second. */
  get idleMs(): number {
    return this.#options.clock.monotonic() - this.#lastActiveAtMs;
  }

  /** Starts the timers and evaluates all processes. */
  start(): void {
    const nowMs = this.#options.clock.now();
    for (const { plan } of this.#realm.records.values()) {
      this.#timers.set(plan.ref, nowMs);
      if (plan.key.kind === "process") this.#inputs.add({ kind: "evaluate", ref: plan.ref });
    }
    this.#wallClock.poll();
    this.#stateWriter.start();
  }

  /**
   * [RL9] Applies to the recovered state what a reload would have applied to a running realm, and writes it. To be
   * called before any input is submitted.
   */
  async applyRecovery({ removed, changed, history }: Pick<Recovery, "removed" | "changed" | "history">): Promise<void> {
    if (history.length === 0 && changed.length === 0) return;
    const effects = { history, changed, removed, rowsToRefresh: [], processes: [] };
    for (const round of reloadRounds(effects, sideEffectsPerRound)) await this.#runReloadRound(round);
  }

  /** Resolves when no input is waiting. */
  async settled(): Promise<void> {
    while (this.#inputs.size > 0 || this.#rounds !== undefined) await this.#rounds;
  }

  /** Stops the timers, processes the waiting inputs, and writes all unwritten state. */
  async stop(): Promise<void> {
    this.#wallClock.stop();
    this.#publisher.stop();
    await this.settled();
    await this.#stateWriter.stop();
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#inputs.arrived();
      this.#rounds = this.#runRounds();
      await this.#rounds;
      this.#rounds = undefined;
    }
  }

  async #runRounds(): Promise<void> {
    while (this.#inputs.size > 0) {
      const plan = this.#inputs.takePlan();
      if (plan !== undefined) {
        await this.#swapPlan(plan);
        continue;
      }
      await this.#runRound();
      if (this.#inputs.size > 0) await this.#yieldToEventLoop();
    }
  }

  async #runRound(): Promise<void> {
    this.#noteActive();
    const changes = newRoundChanges();
    const isAfterJump = this.#applyClockJump(changes);
    changes.isRepeatable = !isAfterJump && this.#leftOver === 0;
    const accepted: AcceptedCommand[] = [];
    this.#inputs.take((input) => {
      if (input.kind !== "command") changes.isRepeatable = false;
      else if (!input.replayed) accepted.push(input.accepted);
      applyInput(input, changes, this.#inputTargets);
    });
    const { clock, commandApplied } = this.#options;
    await this.#finishRound(changes, [], () => {
      for (const { seq, atMs } of accepted) commandApplied?.(seq, Math.max(0, clock.now() - atMs));
    });
  }

  /** @param rowsPublished called once the rows of the round can be read */
  async #finishRound(
    changes: RoundChanges,
    removed: readonly ObjectRecord[],
    rowsPublished: () => void = () => {},
  ): Promise<void> {
    this.#applyConsequences(changes);
    this.#stepper.requestChecks(sideEffectsPerRound);
    this.#rowRefreshQueue.assign(changes);
    this.#countNotifications(changes);
    const writing = this.#stateWriter.write(changes);
    const publishRows = (): void => {
      this.#publisher.publishRows(changes, removed);
      rowsPublished();
    };
    // Only commands caused these changes. The journal has the commands, so that a start after a crash applies them again:
    // their rows may be read before they are written.
    if (changes.isRepeatable) publishRows();
    const durable = await writing;
    for (const afterAppend of changes.afterAppend) afterAppend();
    for (const probe of changes.probes) probe(durable);
    if (!changes.isRepeatable) publishRows();
    this.#publisher.publishEffects(changes);
    if (this.#leftOver > 0) this.#inputs.add({ kind: "round" });
    this.#wallClock.hasten();
  }

  /** Evaluates processes and re-evaluates notifications up to the limit of a round; the rest is left to later rounds. */
  #applyConsequences(changes: RoundChanges): void {
    let left = sideEffectsPerRound;
    do {
      this.#stepper.evaluateAll(changes);
      const waiting = this.#reevaluationQueue.size;
      this.#stepper.runReevaluations(changes, left);
      left -= waiting;
    } while (left > 0 && (changes.processesToEvaluate.size > 0 || this.#reevaluationQueue.size > 0));
    if (changes.processesToEvaluate.size > 0) this.#stepper.evaluateAll(changes);
  }

  /** [RL3] Replaces the plan between two rounds; the effects are written and published in several rounds. */
  async #swapPlan({ swap, done }: PlanSwap): Promise<void> {
    const swapped = await swap();
    const nowMs = this.#options.clock.now();
    const changed = [...swapped.added, ...swapped.changed.map(({ after }) => after)].map(({ ref }) => ref);
    for (const ref of [...changed, ...swapped.downtimesChanged]) this.#timers.set(ref, nowMs);
    for (const { plan } of swapped.removedRecords) this.#timers.delete(plan.ref);
    this.#stepper.reevaluateNotifications(swapped.openProblems);
    const history = [configHistoryEntry(formatPlanDiff(swapped).join("; "), nowMs), ...swapped.overruled];
    const { rowsToRefresh, processes, removedRecords: removed } = swapped;
    for (const round of reloadRounds({ history, changed, removed, rowsToRefresh, processes }, sideEffectsPerRound)) {
      await this.#runReloadRound(round);
      await this.#yieldToEventLoop();
    }
    done(swapped);
  }

  async #runReloadRound({ changes, removed }: ReloadRound): Promise<void> {
    for (const record of removed) this.#stepper.notifyRemoved(record, changes);
    await this.#finishRound(changes, removed);
  }

  #yieldToEventLoop(): Promise<void> {
    return new Promise((resolve) => this.#options.clock.after(0, resolve));
  }

  #serialize(ref: string): string | undefined {
    const record = this.#realm.records.get(ref);
    return record && serializeObject(record, this.#realm.plan);
  }

  #serializeProgram(): string {
    const { program, plan } = this.#realm;
    const contacts = this.#realm.contactDeliveries.stored(plan.contacts.keys());
    return JSON.stringify({ ...program, contacts, aliveAtMs: this.#options.clock.now(), configHash: plan.hash });
  }

  #countNotifications(changes: RoundChanges): void {
    if (changes.notifications.length === 0) return;
    this.#realm.contactDeliveries.queued(changes.notifications);
    changes.contactsChanged = true;
  }

  #noteActive(): void {
    this.#lastActiveAtMs = this.#options.clock.monotonic();
  }

  /** [FR6, NO22] Runs before the round's inputs, because these were made after the jump. Returns true after a jump. */
  #applyClockJump(changes: RoundChanges): boolean {
    const byMs = this.#wallClock.takeJump();
    if (byMs === 0) return false;
    this.#options.clockJumped?.(byMs);
    for (const ref of this.#wallClock.objectsWithWallTimes())
      this.#stepper.step(ref, { kind: "clock_jump", byMs }, changes);
    return true;
  }
}
