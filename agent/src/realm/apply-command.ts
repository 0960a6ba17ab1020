import { toggleText } from "@realmwatch/shared/read-model/toggle-text";
import type { AcceptedCommand } from "@realmwatch/shared/words/command";
import { never } from "@realmwatch/shared/words/never";
import { byWhom } from "../engine/apply-annotation.ts";
import type { ObjectInput } from "../engine/input.ts";
import { type Batch, touch } from "./batch.ts";
import { type CommandEffect, effectsOf } from "./command-inputs.ts";
import { moveSwitch } from "./program-switches.ts";
import type { RealmState } from "./realm-state.ts";
import { scheduledPlan } from "./turns.ts";

/** What applying a command needs of the stepper and around it. */
export type CommandParts = {
  readonly realm: RealmState;
  readonly scheduler: { checkNow(ref: string): void };
  /** Hands one input to the engine and notes what came of it. */
  step(ref: string, input: ObjectInput, batch: Batch): void;
  /** Has those of them that may have something to tell looked at again. */
  lookAgainAt(refs: Iterable<string>): void;
};

/** The command under way and the round that it belongs to. */
type Applying = { readonly accepted: AcceptedCommand; readonly batch: Batch };

/** Applies a command, all of its effects in order. */
export function applyCommand(parts: CommandParts, accepted: AcceptedCommand, batch: Batch): void {
  batch.commandSeq = accepted.seq;
  for (const effect of effectsOf(accepted)) applyEffect(parts, effect, { accepted, batch });
}

function applyEffect(parts: CommandParts, effect: CommandEffect, applying: Applying): void {
  const { realm } = parts;
  switch (effect.kind) {
    case "object":
      parts.step(effect.ref, completed(realm, effect.input), applying.batch);
      // A result accepted from outside must not be lost even where it changes nothing.
      if (realm.records.has(effect.ref)) touch(applying.batch, effect.ref, "changed");
      return;
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

/** [DT7] A downtime has to know whether its trigger is in effect already. */
function completed(realm: RealmState, input: ObjectInput): ObjectInput {
  if (input.kind !== "schedule_downtime" || input.downtime.shape.kind !== "triggered") return input;
  return { ...input, trigger: realm.activationOf(input.downtime.shape.triggeredBy) };
}

/** [SC10] The wish is part of the state until a check that began after it has ended: a crash does not lose it. */
function askForCheck({ realm, scheduler }: CommandParts, ref: string, { accepted, batch }: Applying): void {
  const record = realm.records.get(ref);
  if (record === undefined || scheduledPlan(record.plan) === undefined) return;
  record.state = { ...record.state, checkAskedAtMs: accepted.atMs };
  touch(batch, ref, "changed");
  scheduler.checkNow(ref);
}

type ProgramSwitch = Extract<CommandEffect, { kind: "program" }>;

function switchProgram(parts: CommandParts, { toggle, enabled }: ProgramSwitch, applying: Applying): void {
  const { realm } = parts;
  if (realm.program.toggles[toggle] === enabled) return;
  realm.program = moveSwitch(realm.program, realm.plan, { toggle, enabled });
  noteSwitch(applying, toggleText(toggle, enabled));
  if (toggle === "flapDetection" || toggle === "passiveChecks")
    for (const ref of realm.records.keys()) parts.step(ref, { kind: "program_toggle", toggle }, applying.batch);
  if (movesWhatIsOwed(toggle, enabled)) parts.lookAgainAt(realm.records.keys());
}

/**
 * [RE5] Notifications that are on again, and checks of hosts that nobody has to wait for any more; notifications that
 * are off, because what is owed is dropped then and not whenever somebody looks next.
 */
const movesWhatIsOwed = (toggle: ProgramSwitch["toggle"], enabled: boolean): boolean =>
  toggle === "notifications" || (toggle === "activeChecks" && !enabled);

type ContactSwitch = Extract<CommandEffect, { kind: "contact" }>;

function switchContact(parts: CommandParts, { contact, enabled }: ContactSwitch, applying: Applying): void {
  const { realm } = parts;
  const disabled = realm.program.disabledContacts.includes(contact);
  if (disabled !== enabled) return;
  const others = realm.program.disabledContacts.filter((name) => name !== contact);
  realm.program = { ...realm.program, disabledContacts: enabled ? others : [...others, contact] };
  if (enabled) parts.lookAgainAt(realm.records.keys());
  noteSwitch(applying, `notifications of contact ${contact} ${enabled ? "on" : "off"}`);
}

function noteSwitch({ accepted, batch }: Applying, output: string): void {
  batch.programChanged = true;
  batch.history.push({ atMs: accepted.atMs, type: "toggle", output, ...byWhom(accepted) });
}
