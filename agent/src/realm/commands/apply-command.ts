import { type AcceptedCommand, type CommandEffect, commandEffects } from "@realmwatch/shared/commands/commands";
import { contactToggleText } from "@realmwatch/shared/commands/set-contact-notifications";
import { withSavedView } from "@realmwatch/shared/commands/views/saved-views";
import { type Author, authorFields, systemAuthor } from "@realmwatch/shared/model/author";
import type { ContactMute } from "@realmwatch/shared/model/catalog";
import { never } from "@realmwatch/shared/model/never";
import { toggleText } from "@realmwatch/shared/read-model/history/toggle-text";
import type { ObjectInput } from "../../engine/input.ts";
import { markChanged, type RoundChanges } from "../loop/round-changes.ts";
import { scheduledPlanOf } from "../schedule/check-times.ts";
import { muteOf, withMute } from "../state/contact-mutes.ts";
import { withProgramToggle } from "../state/program-toggles.ts";
import type { RealmState } from "../state/realm-state.ts";

/** Realm, scheduler and stepper operations that commands act on. */
export type CommandContext = {
  readonly realm: RealmState;
  readonly scheduler: { checkNow(ref: string): void };
  /** Passes one input to the engine and applies the outcome. */
  step(ref: string, input: ObjectInput, changes: RoundChanges): void;
  /** Queues the objects that may have a due notification for re-evaluation. */
  reevaluateNotifications(refs: Iterable<string>): void;
};

/** `replayed`: true for a command that was accepted before this start and is applied by the recovery. */
export type CommandToApply = { readonly accepted: AcceptedCommand; readonly replayed: boolean };

type Application = CommandToApply & { readonly changes: RoundChanges };

/** Applies the effects of a command in order. */
export function applyCommand(context: CommandContext, command: CommandToApply, changes: RoundChanges): void {
  changes.commandSeq = command.accepted.seq;
  for (const effect of commandEffects(command.accepted)) applyEffect(context, effect, { ...command, changes });
}

function applyEffect(context: CommandContext, effect: CommandEffect, application: Application): void {
  switch (effect.kind) {
    case "object":
      return applyToObject(context, effect, application);
    case "check":
      return scheduleCheck(context, effect.ref, application);
    case "program":
      return setRealmToggle(context, effect, application);
    case "contact":
      return setContactMute(context, effect, application);
    case "note":
      return addNote(effect, application);
    case "view":
      return saveView(context, effect, application);
    default:
      return never(effect);
  }
}

type EffectOf<K extends CommandEffect["kind"]> = Extract<CommandEffect, { kind: K }>;

function applyToObject(context: CommandContext, { ref, input }: EffectOf<"object">, application: Application): void {
  const { realm } = context;
  if (!realm.records.has(ref)) return;
  context.step(ref, withActivation(realm, withArrivalTime(input, application)), application.changes);
  // A submitted result must be durable even if it changes nothing but its time.
  markChanged(application.changes, ref, "immediate");
}

/** [FR3] The freshness of a replayed result counts from its arrival before the restart. */
function withArrivalTime(input: ObjectInput, { accepted, replayed }: Application): ObjectInput {
  if (input.kind !== "result" || !replayed) return input;
  return { ...input, result: { ...input.result, heardAtMs: accepted.atMs } };
}

/** [DT7] Adds to a triggered downtime the window of its trigger, if that is in effect already. */
function withActivation(realm: RealmState, input: ObjectInput): ObjectInput {
  if (input.kind !== "schedule_downtime" || input.downtime.shape.kind !== "triggered") return input;
  return { ...input, trigger: realm.activationOf(input.downtime.shape.triggeredBy) };
}

/** [SC10] The request is stored in the state until a check that began after it has ended, so a crash does not lose it. */
function scheduleCheck({ realm, scheduler }: CommandContext, ref: string, { accepted, changes }: Application): void {
  const record = realm.records.get(ref);
  if (record === undefined || scheduledPlanOf(record.plan) === undefined) return;
  record.state = { ...record.state, checkAskedAtMs: accepted.atMs };
  markChanged(changes, ref, "immediate");
  scheduler.checkNow(ref);
}

function setRealmToggle(context: CommandContext, effect: EffectOf<"program">, application: Application): void {
  const { realm } = context;
  const { toggle, enabled } = effect;
  if (realm.program.toggles[toggle] === enabled) return;
  realm.program = withProgramToggle(realm.program, realm.plan, { toggle, enabled });
  addToggleEntry(application, toggleText(toggle, enabled));
  if (toggle === "flapDetection" || toggle === "passiveChecks")
    for (const ref of realm.records.keys()) context.step(ref, { kind: "program_toggle", toggle }, application.changes);
  if (affectsDueNotifications(effect)) context.reevaluateNotifications(realm.records.keys());
}

/**
 * [RE5] True when due notifications may be sent or dropped now: notifications were toggled, or active checks were
 * turned off, so that no notification waits for a host check any more.
 */
const affectsDueNotifications = ({ toggle, enabled }: EffectOf<"program">): boolean =>
  toggle === "notifications" || (toggle === "activeChecks" && !enabled);

type MuteContext = Pick<CommandContext, "realm" | "reevaluateNotifications"> & { readonly changes: RoundChanges };

/** Change of a mute with its author, reason and time, Unix ms. */
type MuteChange = Pick<Extract<CommandEffect, { kind: "contact" }>, "contact" | "mute" | "comment"> & {
  readonly by: Author;
  readonly atMs: number;
};

/**
 * [TG4] Mutes a contact or ends its mute. A mute of a muted contact replaces it if its reason or end differs. [RE5] The
 * end of a mute re-evaluates the open problems.
 */
function setMute({ realm, changes, reevaluateNotifications }: MuteContext, change: MuteChange): void {
  const { contact, mute, comment, by, atMs } = change;
  const before = muteOf(realm.program, contact);
  if (isSameMute(before, mute)) return;
  realm.program = withMute(realm.program, contact, mute);
  changes.programChanged = true;
  changes.history.push({
    ...{ atMs, type: "toggle", contact, output: contactToggleText(contact, mute), ...authorFields(by) },
    ...(comment === "" ? {} : { comment }),
  });
  if (mute === undefined) reevaluateNotifications(realm.records.keys());
}

const isSameMute = (one: ContactMute | undefined, other: ContactMute | undefined): boolean =>
  one === undefined || other === undefined
    ? one === other
    : one.comment === other.comment && one.untilMs === other.untilMs;

/** [TG5] Ends the mutes that are due. */
export function expireMutes(context: MuteContext, nowMs: number): void {
  for (const { contact, untilMs = Infinity } of context.realm.program.mutes)
    if (untilMs <= nowMs)
      setMute(context, { contact, mute: undefined, comment: "expired", by: systemAuthor, atMs: nowMs });
}

function setContactMute(context: CommandContext, effect: EffectOf<"contact">, application: Application): void {
  const { accepted, changes } = application;
  setMute({ ...context, changes }, { ...effect, by: accepted, atMs: accepted.atMs });
}

function addToggleEntry({ accepted, changes }: Application, output: string): void {
  changes.programChanged = true;
  changes.history.push({ atMs: accepted.atMs, type: "toggle", output, ...authorFields(accepted) });
}

/** [CM4] A note has no state beside its history record. */
function addNote({ id, text }: EffectOf<"note">, { accepted, changes }: Application): void {
  changes.history.push({
    atMs: accepted.atMs,
    type: "note",
    ...authorFields(accepted),
    comment: text,
    commentId: id,
  });
}

function saveView({ realm }: CommandContext, { name, view }: EffectOf<"view">, application: Application): void {
  const { savedViews = [] } = realm.program;
  realm.program = { ...realm.program, savedViews: withSavedView(savedViews, name, view) };
  addToggleEntry(
    application,
    `view ${JSON.stringify(name)} ${view === undefined ? "deleted" : `saved: ${view.selector}`}`,
  );
}
