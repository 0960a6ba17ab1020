import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { never } from "@realmwatch/shared/model/never";
import type { CompletedDelivery, FailedAttempt, Notification } from "@realmwatch/shared/model/notification";
import type { CheckResult, ObjectInput } from "../../engine/input.ts";
import type { CommandToApply } from "../commands/apply-command.ts";
import { type HandlerEnd, handlerHistoryEntry } from "../outputs/outcome-entries.ts";
import type { PlanSwapResult } from "../reload/swap-plan.ts";
import type { AnnotationIndex } from "../state/annotation-index.ts";
import type { RealmState } from "../state/realm-state.ts";
import { applyDeliveryReport, type DeliveryReport } from "./apply-deliveries.ts";
import type { RealmStepper } from "./realm-stepper.ts";
import { markChanged, type RoundChanges } from "./round-changes.ts";

/** Replacement of the plan. It is not processed in a round together with other inputs. */
export type PlanSwap = {
  readonly kind: "plan";
  readonly swap: () => Promise<PlanSwapResult>;
  readonly done: (result: PlanSwapResult) => void;
};

/** Maximum number of inputs per round: enough that they share one sync of the disk. */
const maxInputsPerRound = 2000;
/** Time after which a round takes no more inputs, ms. Writing and publishing its changes takes about as long again. */
const maxTakeMs = 6;

/** Input to the realm loop that may share a round with others. */
export type LoopInput =
  | { readonly kind: "input"; readonly ref: string; readonly input: ObjectInput }
  | ({ readonly kind: "command" } & CommandToApply)
  | { readonly kind: "evaluate"; readonly ref: string }
  /** `afterAppend` is called once the effects of the report are durable. */
  | { readonly kind: "delivery"; readonly report: DeliveryReport; readonly afterAppend: () => void }
  /** Writes to the journal although nothing changed, and reports whether that succeeded. */
  | { readonly kind: "probe"; readonly done: (durable: boolean) => void }
  | { readonly kind: "handled"; readonly end: HandlerEnd }
  /** The scheduler moved a check. Times are Unix ms; `nextCheckAtMs` is undefined when no check will follow. */
  | {
      readonly kind: "postponed";
      readonly ref: string;
      readonly nextCheckAtMs: number | undefined;
      readonly missedTurnAtMs: number | undefined;
    }
  /** Something happened that concerns the whole realm. */
  | { readonly kind: "recorded"; readonly entry: HistoryEntry }
  /** A mute of a contact has ended. */
  | { readonly kind: "mutes_due" }
  /** Starts a round without an input of its own, for work that earlier rounds left over. */
  | { readonly kind: "round" };

export type InputTargets = { readonly clock: Clock; readonly realm: RealmState; readonly stepper: RealmStepper };

/** Applies one input to the realm and adds what it changed to the round. */
export function applyInput(input: LoopInput, changes: RoundChanges, { clock, realm, stepper }: InputTargets): void {
  switch (input.kind) {
    case "input":
      return stepper.step(input.ref, input.input, changes);
    case "command":
      return stepper.apply(input, changes);
    case "evaluate":
      return void changes.processesToEvaluate.add(input.ref);
    case "delivery":
      changes.afterAppend.push(input.afterAppend);
      return applyDeliveryReport(input.report, { realm, changes, nowMs: clock.now() });
    case "probe":
      return void changes.probes.push(input.done);
    case "handled":
      return void changes.history.push(handlerHistoryEntry(input.end, clock.now()));
    case "postponed":
      return applyPostponed(input, changes, realm);
    case "recorded":
      return void changes.history.push(input.entry);
    case "mutes_due":
      return stepper.expireMutes(changes);
    case "round":
      return;
    default:
      return never(input);
  }
}

type InputOf<K extends LoopInput["kind"]> = Extract<LoopInput, { kind: K }>;

function applyPostponed(input: InputOf<"postponed">, changes: RoundChanges, realm: RealmState): void {
  const { ref, nextCheckAtMs, missedTurnAtMs } = input;
  const record = realm.records.get(ref);
  if (record === undefined) return;
  record.state = { ...record.state, nextCheckAtMs, missedTurnAtMs };
  markChanged(changes, ref, "background");
}

/**
 * Inputs of a realm that wait for their round, first in, first out. The queue exists before the realm loop, which takes
 * from it, so that everything that answers the realm is built before the realm is.
 */
export class RealmInputs {
  readonly #clock: Clock;
  readonly #annotations: Pick<AnnotationIndex, "announce">;
  readonly #queue: (LoopInput | PlanSwap)[] = [];
  #commands = 0;
  #arrival = Promise.withResolvers<void>();

  constructor(clock: Clock, annotations: Pick<AnnotationIndex, "announce">) {
    this.#clock = clock;
    this.#annotations = annotations;
  }

  get size(): number {
    return this.#queue.length;
  }

  /** Number of accepted commands that are not applied yet. */
  get commandsWaiting(): number {
    return this.#commands;
  }

  /** Resolves when an input is waiting. */
  arrived(): Promise<void> {
    return this.#arrival.promise;
  }

  /** Submits the result of an active check. */
  submitResult(ref: string, result: CheckResult): void {
    this.add({ kind: "input", ref, input: { kind: "result", result } });
  }

  /**
   * Submits an accepted command, which is in the journal already. Commands must be submitted in their order. Comments and
   * downtimes that it adds or deletes can be looked up at once, before it is applied.
   */
  submitCommand(accepted: AcceptedCommand): void {
    this.#annotations.announce(accepted.command);
    this.add({ kind: "command", accepted, replayed: false });
  }

  /** Submits a command that an earlier start accepted and did not apply; before any other input. */
  replayCommand(accepted: AcceptedCommand): void {
    this.add({ kind: "command", accepted, replayed: true });
  }

  /** Submits the end of deliveries. Resolves when that is durable, or kept in memory while the journal fails. */
  deliveriesEnded(ended: readonly CompletedDelivery[]): Promise<void> {
    return this.#reportDelivery({ ended });
  }

  /** Submits failed attempts that others follow. */
  attemptsFailed(failedAttempts: readonly FailedAttempt[]): void {
    void this.#reportDelivery({ failedAttempts });
  }

  /** Submits notifications that were not delivered within the `fallback_after` of their contact. */
  deliveriesOverdue(overdue: readonly Notification[]): void {
    void this.#reportDelivery({ overdue });
  }

  #reportDelivery(report: DeliveryReport): Promise<void> {
    return new Promise((afterAppend) => this.add({ kind: "delivery", report, afterAppend }));
  }

  handlerEnded(end: HandlerEnd): void {
    this.add({ kind: "handled", end });
  }

  /** Adds a record about the whole realm to the history. */
  record(entry: HistoryEntry): void {
    this.add({ kind: "recorded", entry });
  }

  /** Passes through a round and the journal. Resolves with false when the journal fails, and never while it is stuck. */
  probe(): Promise<boolean> {
    return new Promise((done) => this.add({ kind: "probe", done }));
  }

  /** Submits that the scheduler moved a check without running it. Times are Unix ms; see `NextCheck`. */
  postponed(ref: string, nextCheckAtMs: number | undefined, missedTurnAtMs?: number): void {
    this.add({ kind: "postponed", ref, nextCheckAtMs, missedTurnAtMs });
  }

  /** Runs `swap` between two rounds, then writes and publishes what it changed. Resolves after that. */
  swapPlan(swap: () => Promise<PlanSwapResult>): Promise<PlanSwapResult> {
    return new Promise((done) => this.add({ kind: "plan", swap, done }));
  }

  add(input: LoopInput | PlanSwap): void {
    this.#queue.push(input);
    if (input.kind === "command") this.#commands += 1;
    this.#arrival.resolve();
  }

  /** Removes and returns the first entry if it is a plan swap; else undefined. */
  takePlan(): PlanSwap | undefined {
    const first = this.#queue[0];
    if (first?.kind !== "plan") return undefined;
    this.#remove(1);
    return first;
  }

  /** Removes the inputs of one round, at least one and none behind a plan swap, and calls `apply` with each. */
  take(apply: (input: LoopInput) => void): void {
    const endsAt = this.#clock.monotonic() + maxTakeMs;
    let taken = 0;
    do {
      const input = this.#queue[taken];
      if (input === undefined || input.kind === "plan") break;
      taken += 1;
      if (input.kind === "command") this.#commands -= 1;
      apply(input);
    } while (taken < maxInputsPerRound && this.#clock.monotonic() < endsAt);
    this.#remove(taken);
  }

  #remove(count: number): void {
    this.#queue.splice(0, count);
    if (this.#queue.length === 0) this.#arrival = Promise.withResolvers();
  }
}
