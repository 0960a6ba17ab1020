import type { Command } from "@realmwatch/shared/commands/commands";
import type { PassiveResult } from "@realmwatch/shared/commands/process-check-results";
import type { Author } from "@realmwatch/shared/model/author";
import { noAuthor } from "@realmwatch/shared/model/author";
import { never } from "@realmwatch/shared/model/never";
import { formatKey, type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { parsePluginOutput } from "@realmwatch/shared/text/plugin/plugin-output";
import type { CommandTarget, CommandTargets, ExternalCommand } from "../external-commands/external-command.ts";
import type { ReadonlyRecord, RealmReader } from "../realm/state/realm-reader.ts";
import { findByNumericId } from "./numeric-id.ts";

/** Commands that a line stands for, in order, and their author. The list is empty when there is nothing to do. */
type ResolvedCommands = { readonly commands: readonly Command[]; readonly by: Author };
type Lookup = { readonly realm: RealmReader; readonly mintId: () => string };

const keyOfObject = (object: CommandTarget): ObjectKey =>
  object.kind === "host"
    ? { kind: "host", name: object.host }
    : { kind: "service", host: object.host, name: object.service };

function recordOf(realm: RealmReader, key: ObjectKey): Result<ReadonlyRecord, string> {
  const record = realm.records.get(refOf(key));
  return record === undefined ? fail(`${formatKey(key)} does not exist`) : ok(record);
}

/** References of the objects that a line names; at least one. */
function refsOf(realm: RealmReader, scope: CommandTargets): Result<readonly string[], string> {
  const record = recordOf(realm, scope.kind === "services" ? { kind: "host", name: scope.host } : keyOfObject(scope));
  if (!record.ok) return record;
  const { plan } = record.value;
  if (scope.kind !== "services") return ok([plan.ref]);
  const services = "services" in plan ? plan.services : [];
  return services.length === 0 ? fail(`${formatKey(plan.key)} has no services`) : ok(services);
}

const serviceStatuses = ["ok", "warning", "critical", "unknown"] as const;
const hostStatuses = ["ok", "critical", "critical"] as const;

/** Check result of a line. `atMs` is the line's own time, a whole second in Unix ms. */
export function resolveExternalResult(
  realm: RealmReader,
  { object, code, output }: Extract<ExternalCommand, { kind: "result" }>,
  atMs: number,
): Result<PassiveResult, string> {
  const record = recordOf(realm, keyOfObject(object));
  if (!record.ok) return record;
  const statuses = object.kind === "host" ? hostStatuses : serviceStatuses;
  const status = statuses[code];
  if (status === undefined) return fail(`return code ${code} is out of range 0-${statuses.length - 1}`);
  const texts = parsePluginOutput(unescapeLines(output));
  return ok({
    ref: record.value.plan.ref,
    status,
    ...texts,
    executedAtMs: withinSecond(record.value, atMs),
    executionMs: undefined,
    checkSource: "",
  });
}

/** [XC6] Time of a result whose line has whole seconds: never before a result of the same second. */
function withinSecond({ state }: ReadonlyRecord, atMs: number): number {
  const knownAtMs = state.last?.executedAtMs ?? 0;
  return knownAtMs > atMs && knownAtMs < atMs + 1000 ? knownAtMs : atMs;
}

/** Replaces the escapes of a line, `\n` and `\\`, by a line break and a backslash. */
const unescapeLines = (text: string): string =>
  text.replaceAll(/\\([n\\])/g, (_, escaped: string) => (escaped === "n" ? "\n" : "\\"));

const byAuthor = (author: string): Author => ({ author, onBehalfOf: "" });

/** Commands of a line that is no check result, or the reason why it has none. */
export function resolveExternalCommand(
  command: Exclude<ExternalCommand, { kind: "result" }>,
  { realm, mintId }: Lookup,
): Result<ResolvedCommands, string> {
  const toObjects = (objects: CommandTargets, make: (refs: readonly string[]) => Command, by = noAuthor) => {
    const refs = refsOf(realm, objects);
    return refs.ok ? ok({ commands: [make(refs.value)], by }) : refs;
  };
  switch (command.kind) {
    case "acknowledge": {
      const { sticky, notify, comment, expiresAtMs } = command;
      const expiry = expiresAtMs === undefined ? {} : { expiresAtMs };
      return toObjects(
        command.object,
        (refs) => ({ kind: "acknowledge_problem", refs, sticky, notify, comment, ...expiry }),
        byAuthor(command.author),
      );
    }
    case "remove_acknowledgement":
      return toObjects(command.object, (refs) => ({ kind: "remove_acknowledgement", refs }));
    case "downtime":
      return resolveDowntime(command, { realm, mintId });
    case "delete_downtime":
      return resolveDeletion(realm, command);
    case "delete_downtimes":
      return resolveDeletions(realm, command);
    case "add_comment": {
      const { author, text } = command;
      const record = recordOf(realm, keyOfObject(command.object));
      if (!record.ok) return record;
      const { ref } = record.value.plan;
      return ok({ commands: [{ kind: "add_comment", ref, id: mintId(), text }], by: byAuthor(author) });
    }
    case "delete_comment":
      return resolveDeletion(realm, command);
    case "delete_comments": {
      const record = recordOf(realm, keyOfObject(command.object));
      if (!record.ok) return record;
      const { ref } = record.value.plan;
      const ids = [...realm.commentRefs].filter(([, of]) => of === ref).map(([id]) => id);
      return ok({ commands: ids.map((id) => ({ kind: "delete_comment", ref, id })), by: noAuthor });
    }
    case "notify":
      return toObjects(
        command.object,
        (refs) => ({ kind: "send_custom_notification", refs, comment: command.comment }),
        byAuthor(command.author),
      );
    case "check":
      return resolveCheck(realm, command);
    case "object_toggle": {
      const { toggle, enabled } = command;
      return toObjects(command.objects, (refs) =>
        toggle === "notifications"
          ? { kind: "set_object_notifications", refs, enabled }
          : { kind: "set_object_toggle", refs, toggle, enabled },
      );
    }
    case "program_toggle": {
      const { toggle, enabled } = command;
      const one: Command =
        toggle === "notifications"
          ? { kind: "set_program_notifications", enabled }
          : { kind: "set_program_toggle", toggle, enabled };
      return ok({ commands: [one], by: noAuthor });
    }
    case "contact_toggle": {
      const { contact, enabled } = command;
      if (!realm.plan.contacts.has(contact)) return fail(`contact ${JSON.stringify(contact)} does not exist`);
      return ok({ commands: [{ kind: "set_contact_notifications", contact, enabled }], by: noAuthor });
    }
    default:
      return never(command);
  }
}

/** On-demand checks of a line. One that is not forced is left out where active checks are disabled. */
function resolveCheck(
  realm: RealmReader,
  { objects, forced }: Extract<ExternalCommand, { kind: "check" }>,
): Result<ResolvedCommands, string> {
  const refs = refsOf(realm, objects);
  if (!refs.ok) return refs;
  const isOn = (ref: string): boolean => realm.records.get(ref)?.state.toggles.activeChecks ?? false;
  const willing = forced ? refs.value : refs.value.filter((ref) => realm.program.toggles.activeChecks && isOn(ref));
  if (willing.length === 0) return fail("active checks are disabled; a forced check runs nevertheless");
  return ok({ commands: [{ kind: "schedule_check", refs: willing }], by: noAuthor });
}

type DowntimeCommand = Extract<ExternalCommand, { kind: "downtime" }>;
type Shape = Extract<Command, { kind: "schedule_downtime" }>["shape"];

function shapeOf(realm: RealmReader, { fixed, trigger, durationMs }: DowntimeCommand): Result<Shape, string> {
  if (trigger !== "" && trigger !== "0") {
    const found = findByNumericId(realm.downtimeRefs, trigger, undefined);
    return found === undefined
      ? fail(`the triggering downtime ${JSON.stringify(trigger)} does not exist`)
      : ok({ kind: "triggered", triggeredBy: found.id });
  }
  if (fixed) return ok({ kind: "fixed" });
  return durationMs > 0 ? ok({ kind: "flexible", durationMs }) : fail("the duration must be above zero");
}

function resolveDowntime(command: DowntimeCommand, { realm, mintId }: Lookup): Result<ResolvedCommands, string> {
  const { startMs, endMs, comment, children } = command;
  if (endMs <= startMs) return fail("the end must be after the start");
  const shape = shapeOf(realm, command);
  if (!shape.ok) return shape;
  const refs = refsOf(realm, command.objects);
  if (!refs.ok) return refs;
  const schedule = (ids: readonly string[], as: Shape) => {
    const downtimes = ids.map((ref) => ({ id: mintId(), ref }));
    return { kind: "schedule_downtime", downtimes, startMs, endMs, comment, shape: as } as const;
  };
  const by = byAuthor(command.author);
  const below = children === "none" ? [] : hostsBelow(realm, refs.value);
  if (below.length === 0) return ok({ commands: [schedule(refs.value, shape.value)], by });
  if (children === "same") return ok({ commands: [schedule([...refs.value, ...below], shape.value)], by });
  const first = schedule(refs.value, shape.value);
  const triggeredBy = first.downtimes[0]?.id ?? "";
  return ok({ commands: [first, schedule(below, { kind: "triggered", triggeredBy })], by });
}

/** Hosts behind the given ones by their `parents`, nearest first. */
function hostsBelow(realm: RealmReader, refs: readonly string[]): readonly string[] {
  const seen = new Set(refs);
  for (const ref of seen) {
    const plan = realm.records.get(ref)?.plan;
    if (plan !== undefined && "children" in plan) for (const child of plan.children) seen.add(child);
  }
  return [...seen].slice(refs.length);
}

function resolveDeletion(
  realm: RealmReader,
  { kind, of, id }: Extract<ExternalCommand, { kind: "delete_downtime" | "delete_comment" }>,
): Result<ResolvedCommands, string> {
  const found = findByNumericId(kind === "delete_downtime" ? realm.downtimeRefs : realm.commentRefs, id, of);
  if (found !== undefined) return ok({ commands: [{ kind, ...found }], by: noAuthor });
  const what = kind === "delete_downtime" ? "downtime" : "comment";
  return fail(`no ${of} has a ${what} ${JSON.stringify(id)}`);
}

function resolveDeletions(
  realm: RealmReader,
  wanted: Extract<ExternalCommand, { kind: "delete_downtimes" }>,
): Result<ResolvedCommands, string> {
  const commands: Command[] = [];
  for (const [id, ref] of realm.downtimeRefs) {
    const record = realm.records.get(ref);
    const downtime = record?.state.downtimes.find((one) => one.id === id);
    if (record === undefined || downtime === undefined) continue;
    const { key } = record.plan;
    if (wanted.host !== undefined && wanted.host !== (key.kind === "service" ? key.host : key.name)) continue;
    if (wanted.service !== undefined && (key.kind !== "service" || wanted.service !== key.name)) continue;
    if (wanted.startMs !== undefined && wanted.startMs !== Math.floor(downtime.startMs / 1000) * 1000) continue;
    if (wanted.comment !== undefined && wanted.comment !== downtime.comment) continue;
    commands.push({ kind: "delete_downtime", ref, id });
  }
  return commands.length === 0 ? fail("no such downtime exists") : ok({ commands, by: noAuthor });
}
