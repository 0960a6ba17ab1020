import type { AcceptedCommand } from "@realmwatch/shared/model/command";
import { never } from "@realmwatch/shared/model/never";
import { toggleText } from "@realmwatch/shared/read-model/history/toggle-text";
import { authorFields } from "../../engine/author.ts";
import { minFlapRate } from "../../engine/flapping/flapping.ts";
import { isCommentInput, type ObjectInput } from "../../engine/input.ts";
import { hasOpenProblem } from "../../engine/notify/open-problem.ts";
import type { ObjectState } from "../../engine/state/object-state.ts";
import { type RoundChanges, markChanged } from "../loop/round-changes.ts";
import { type CommandEffect, commandEffects } from "./command-effects.ts";
import { withProgramToggle } from "../state/program-toggles.ts";
import type { RealmState } from "../state/realm-state.ts";
import type { CommandReplay } from "../durability/command-replay.ts";
import { scheduledPlanOf } from "../schedule/check-times.ts";

/** What applying a command needs of the stepper and around it. */
export type CommandContext = {
  readonly realm: RealmState;
  readonly scheduler: { checkNow(ref: string): void };
  /** Hands one input to the engine and notes what came of it. */
  step(ref: string, input: ObjectInput, batch: RoundChanges): void;
  /** Has those of them that may have something to tell looked at again. */
  reevaluateNotifications(refs: Iterable<string>): void;
  readonly replay: CommandReplay;
};

/** The command under way and the round that it belongs to. */
type Applying = { readonly accepted: AcceptedCommand; readonly batch: RoundChanges };

/** Applies a command, all of its effects in order. */
export function applyCommand(parts: CommandContext, accepted: AcceptedCommand, batch: RoundChanges): void {
  if (batch.firstCommandSeq === 0) batch.firstCommandSeq = accepted.seq;
  batch.commandSeq = accepted.seq;
  for (const effect of commandEffects(accepted)) applyEffect(parts, effect, { accepted, batch });
}

function applyEffect(parts: CommandContext, effect: CommandEffect, applying: Applying): void {
  if ("ref" in effect && parts.replay.isInStoredState(effect.ref, applying.accepted.seq)) return;
  switch (effect.kind) {
    case "object":
      return applyInput(parts, effect, applying);
    case "check":
      return askForCheck(parts, effect.ref, applying);
    case "program":
      return switchProgram(parts, effect, applying);
    case "contact":
      return switchContact(parts, effect, applying);
    default:
      return never(effect);
  }
}

type ResultInput = Extract<ObjectInput, { kind: "result" }>;
type ObjectEffect = Extract<CommandEffect, { kind: "object" }>;

function applyInput(parts: CommandContext, { ref, input }: ObjectEffect, { accepted, batch }: Applying): void {
  const { realm, replay } = parts;
  const record = realm.records.get(ref);
  if (record === undefined) return;
  const [before, was, recorded] = [record.state, batch.objects.get(ref), batch.history.length];
  const old = input.kind === "result" && replay.wasAcceptedBefore(accepted.seq);
  parts.step(ref, old ? heardThen(input, accepted) : completed(realm, input), batch);
  // A result accepted from outside must not be lost even where it changes nothing.
  const waits = mayWait(input, { before, after: record.state, isTold: batch.history.length > recorded });
  batch.objects.set(record.plan.ref, waits && was !== "changed" ? "commanded" : "changed");
  if (isCommentInput(input) && replay.isInHistory(accepted.seq)) {
    const news = batch.history.splice(recorded);
    batch.history.push(...news.filter(({ type }) => type !== "comment_added" && type !== "comment_deleted"));
  }
}

type Change = { readonly before: ObjectState; readonly after: ObjectState; readonly isTold: boolean };

/**
 * [DU10] Where nothing is open or restless about an object, a comment or one more of the same results does to it
 * whatever it did, also when a crash has it applied again among objects that have moved on.
 */
function mayWait(input: ObjectInput, { before, after, isTold }: Change): boolean {
  if (hasOpenProblem(after) || after.flap.value > minFlapRate) return false;
  return isCommentInput(input) ? differOnlyInComments(before, after) : input.kind === "result" && !isTold;
}

const differOnlyInComments = (before: ObjectState, after: ObjectState): boolean =>
  (Object.keys(after) as (keyof ObjectState)[]).every((name) => name === "comments" || before[name] === after[name]);

/** [FR3] How long nothing came is counted from when this did. */
const heardThen = (input: ResultInput, { atMs }: AcceptedCommand): ObjectInput => ({
  ...input,
  result: { ...input.result, heardAtMs: atMs },
});

/** [DT7] A downtime has to know whether its trigger is in effect already. */
function completed(realm: RealmState, input: ObjectInput): ObjectInput {
  if (input.kind !== "schedule_downtime" || input.downtime.shape.kind !== "triggered") return input;
  return { ...input, trigger: realm.activationOf(input.downtime.shape.triggeredBy) };
}

/** [SC10] The wish is part of the state until a check that began after it has ended: a crash does not lose it. */
function askForCheck({ realm, scheduler }: CommandContext, ref: string, { accepted, batch }: Applying): void {
  const record = realm.records.get(ref);
  if (record === undefined || scheduledPlanOf(record.plan) === undefined) return;
  record.state = { ...record.state, checkAskedAtMs: accepted.atMs };
  markChanged(batch, ref, "changed");
  scheduler.checkNow(ref);
}

type ProgramSwitch = Extract<CommandEffect, { kind: "program" }>;

function switchProgram(parts: CommandContext, { toggle, enabled }: ProgramSwitch, applying: Applying): void {
  const { realm } = parts;
  if (realm.program.toggles[toggle] === enabled) return;
  realm.program = withProgramToggle(realm.program, realm.plan, { toggle, enabled });
  noteSwitch(applying, toggleText(toggle, enabled));
  if (toggle === "flapDetection" || toggle === "passiveChecks")
    for (const ref of realm.records.keys()) parts.step(ref, { kind: "program_toggle", toggle }, applying.batch);
  if (movesWhatIsOwed(toggle, enabled)) parts.reevaluateNotifications(realm.records.keys());
}

/**
 * [RE5] Notifications that are on again, and checks of hosts that nobody has to wait for any more; notifications that
 * are off, because what is owed is dropped then and not whenever somebody looks next.
 */
const movesWhatIsOwed = (toggle: ProgramSwitch["toggle"], enabled: boolean): boolean =>
  toggle === "notifications" || (toggle === "activeChecks" && !enabled);

type ContactSwitch = Extract<CommandEffect, { kind: "contact" }>;

function switchContact(parts: CommandContext, { contact, enabled }: ContactSwitch, applying: Applying): void {
  const { realm } = parts;
  const disabled = realm.program.disabledContacts.includes(contact);
  if (disabled !== enabled) return;
  const others = realm.program.disabledContacts.filter((name) => name !== contact);
  realm.program = { ...realm.program, disabledContacts: enabled ? others : [...others, contact] };
  if (enabled) parts.reevaluateNotifications(realm.records.keys());
  noteSwitch(applying, `notifications of contact ${contact} ${enabled ? "on" : "off"}`);
}

function noteSwitch({ accepted, batch }: Applying, output: string): void {
  batch.programChanged = true;
  batch.history.push({ atMs: accepted.atMs, type: "toggle", output, ...authorFields(accepted) });
}
