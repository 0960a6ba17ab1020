import type { PassiveSpec } from "@realmwatch/shared/config/check-spec";
import { isChecked } from "@realmwatch/shared/config/plan";
import type { HistoryEntry } from "@realmwatch/shared/words/history";
import { never } from "@realmwatch/shared/words/never";
import type { ProgramToggles } from "@realmwatch/shared/words/toggles";
import { hasExpired } from "./acknowledgement.ts";
import { acknowledge, addComment, deleteComment, removeAcknowledgement, setToggle } from "./apply-annotation.ts";
import { andThen, deleteDowntime, followTrigger, scheduleDowntime, settle, settlingDueMs } from "./apply-downtime.ts";
import { applyResult, type Stepped, unchanged } from "./apply-result.ts";
import { statusOf } from "./attempts.ts";
import { flapEntries, nextStableSampleMs, takeStableSamples } from "./flap-watch.ts";
import { calm } from "./flapping.ts";
import { staleAtMs, staleResult } from "./freshness.ts";
import { runsHandlers } from "./handler-due.ts";
import type { CheckResult, ObjectInput } from "./input.ts";
import type { Sending } from "./sending.ts";
import type { ObjectState } from "./state.ts";
import type { StepContext } from "./step-context.ts";
import { tell } from "./tell.ts";
import { moveTurns } from "./telling-state.ts";

export type { StepContext } from "./step-context.ts";

/** What became of one input. */
export type StepOutcome = Stepped & {
  /** Who is to be told what. */
  readonly sendings: readonly Sending[];
  /** Whether event handlers run for what happened. */
  readonly handlerDue: boolean;
  /** When time alone could change the state or let a message out, wall clock; Infinity for never. */
  readonly dueMs: number;
};

/** [TG2] Where passive checks are off a submitted result is dropped, and history says so. */
function dropPassive({ plan, nowMs }: StepContext, state: ObjectState, result: CheckResult): Stepped {
  const entry: HistoryEntry = {
    atMs: nowMs,
    type: "state",
    key: plan.key,
    output: `dropped, passive checks are off: ${result.output}`,
  };
  return { state, history: [entry], followUps: [], dropped: "passive_off" };
}

function takeResult(context: StepContext, state: ObjectState, result: CheckResult): Stepped {
  const { plan, around, nowMs } = context;
  const refused = result.origin === "passive" && !(around.passiveChecksOn && state.toggles.passiveChecks);
  if (refused) return dropPassive(context, state, result);
  return andThen(applyResult(plan, state, { result, around, nowMs }), (next) => settle(context, next));
}

function expireAcknowledgement({ plan, nowMs }: StepContext, state: ObjectState): Stepped {
  const { acknowledgement } = state;
  if (acknowledgement === undefined || !hasExpired(acknowledgement, nowMs)) return unchanged(state);
  const entry: HistoryEntry = {
    atMs: nowMs,
    type: "acknowledgement_removed",
    key: plan.key,
    comment: "expired",
    acknowledgement,
  };
  return { state: { ...state, acknowledgement: undefined }, history: [entry], followUps: [] };
}

/** What an object whose silence counts is expected to send. [FR5] While it may not send, silence says nothing. */
function expected({ plan, around }: StepContext, state: ObjectState): PassiveSpec | undefined {
  if (!isChecked(plan) || plan.check.type !== "passive") return undefined;
  return around.passiveChecksOn && state.toggles.passiveChecks ? plan.check : undefined;
}

function goStale(context: StepContext, state: ObjectState): Stepped {
  const { around, nowMs } = context;
  const spec = expected(context, state);
  if (spec === undefined || staleAtMs(state.freshFromMs, spec) > nowMs) return unchanged(state);
  if (around.closedUntilMs !== undefined) return unchanged(waitForOpening(state, around.closedUntilMs, nowMs));
  return takeResult(context, state, staleResult(spec, state.heardAtMs, nowMs));
}

/** [FR4] Behind a closed `check_period` nobody sends; with its opening the threshold begins anew. */
const waitForOpening = (state: ObjectState, opensAtMs: number, nowMs: number): ObjectState => ({
  ...state,
  freshFromMs: Number.isFinite(opensAtMs) ? opensAtMs : nowMs,
});

/** [FR6] The threshold goes on as if there had been no jump; one that waits for an opening goes by the calendar. */
const moveSilence = ({ nowMs }: StepContext, state: ObjectState, byMs: number): ObjectState => ({
  ...state,
  freshFromMs: state.freshFromMs > nowMs - byMs ? state.freshFromMs : state.freshFromMs + byMs,
  heardAtMs: state.heardAtMs + byMs,
});

/** [NO22] */
const followJump = (context: StepContext, state: ObjectState, byMs: number): ObjectState => {
  const { telling, ...rest } = moveSilence(context, state, byMs);
  return { ...rest, telling: telling && moveTurns(telling, byMs) };
};

/** [FL4] Where a process is, its quiet is a sample. */
function stayQuiet({ plan, around, nowMs }: StepContext, state: ObjectState): Stepped {
  if (nextStableSampleMs(plan, state, around) > nowMs) return unchanged(state);
  const after = takeStableSamples(plan, state, nowMs);
  const status = statusOf(state.phase);
  return { ...unchanged(after), history: flapEntries(plan, { before: state.flap, after: after.flap, status, nowMs }) };
}

/** [TG1, FR5] The whole realm's switch means for an object what its own does. */
function followProgram(context: StepContext, state: ObjectState, toggle: keyof ProgramToggles): ObjectState {
  const restless = state.flap.flapping || state.flap.value > 0;
  if (toggle === "flapDetection" && restless && !context.around.flapDetectionOn) return { ...state, flap: calm };
  const expectedAgain = toggle === "passiveChecks" && expected(context, state) !== undefined;
  return expectedAgain ? { ...state, freshFromMs: context.nowMs } : state;
}

function passTime(context: StepContext, state: ObjectState): Stepped {
  const settled = settle(context, state);
  const expired = andThen(settled, (next) => expireAcknowledgement(context, next));
  const quiet = andThen(expired, (next) => stayQuiet(context, next));
  return andThen(quiet, (next) => goStale(context, next));
}

function apply(context: StepContext, state: ObjectState, input: ObjectInput): Stepped {
  const { plan, nowMs } = context;
  switch (input.kind) {
    case "result":
      return takeResult(context, state, input.result);
    case "acknowledge":
      return acknowledge(plan, state, input.acknowledgement);
    case "remove_acknowledgement":
      return removeAcknowledgement(plan, state, input.by, nowMs);
    case "schedule_downtime":
      return scheduleDowntime(context, state, { downtime: input.downtime, trigger: input.trigger });
    case "delete_downtime":
      return deleteDowntime(plan, state, input.id, { by: input.by, nowMs });
    case "downtime_trigger":
      return followTrigger(context, state, input);
    case "add_comment":
      return addComment(plan, state, input.comment);
    case "delete_comment":
      return deleteComment(plan, state, input.id, { by: input.by, nowMs });
    case "set_toggle":
      return setToggle(plan, state, { ...input, nowMs });
    case "custom_notification":
    case "look_again":
      return unchanged(state);
    case "program_toggle":
      return unchanged(followProgram(context, state, input.toggle));
    case "clock_jump":
      return unchanged(followJump(context, state, input.byMs));
    case "due":
      return passTime(context, state);
    default:
      return never(input);
  }
}

function nextDueMs(context: StepContext, state: ObjectState): number {
  const { plan, around } = context;
  const spec = expected(context, state);
  return Math.min(
    spec === undefined ? Infinity : staleAtMs(state.freshFromMs, spec),
    state.acknowledgement?.expiresAtMs ?? Infinity,
    nextStableSampleMs(plan, state, around),
    settlingDueMs(context, state),
  );
}

/** One input, one object: the engine. Reads no clock, waits for nothing, touches no other object. */
export function step(context: StepContext, before: ObjectState, input: ObjectInput): StepOutcome {
  const applied = apply(context, before, input);
  const taken = applied.dropped === undefined;
  const told = tell(context, { before, after: applied.state, input, taken });
  return {
    state: told.state,
    history: told.history.length === 0 ? applied.history : [...applied.history, ...told.history],
    followUps: told.followUps.length === 0 ? applied.followUps : [...applied.followUps, ...told.followUps],
    dropped: applied.dropped,
    sendings: told.sendings,
    handlerDue: input.kind === "result" && taken && runsHandlers(context.plan, before.phase, told.state.phase),
    dueMs: Math.min(nextDueMs(context, told.state), told.wakeAtMs),
  };
}
