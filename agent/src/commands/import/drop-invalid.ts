import { compilePlan } from "@realmwatch/shared/config/compile/compile-plan";
import type { DocumentPath } from "@realmwatch/shared/text/document-path";
import type { ImportReport, SourceLine } from "./import-report.ts";
import type { CueObject } from "./imported-document.ts";

/** Part of a document that was removed because it would be refused. */
type DroppedPart = { readonly path: DocumentPath; readonly why: string };

/** Maximum number of passes: what refers to a removed part is found in the next one. */
const maxPasses = 50;

/** Document in the making, with its commands by name. */
type CommandedDocument = CueObject & { commands?: CueObject };

/**
 * Removes from a document all that the programs would refuse, and what refers to it, until the rest is valid. Instead of
 * a command that is refused, or that something names and that does not exist, there is one that prints the reason and
 * exits as UNKNOWN: an object is never left out for its command. Changes the document.
 */
function dropInvalid(document: CommandedDocument): readonly DroppedPart[] {
  const dropped: DroppedPart[] = [];
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const compiled = compilePlan(document, { realm: "default", localZone: "UTC" });
    if (compiled.ok) return dropped;
    const replaced = new Set<string>();
    // The last ones first, so that the indexes of the others stay the same.
    for (const { path, message } of compiled.error.toReversed()) {
      if (replaceCommand(document, { path, why: message }, replaced)) {
        dropped.push({ path: path[0] === "commands" ? path.slice(0, 2) : path, why: message });
        continue;
      }
      const unit = unitOf(path);
      if (removeAt(document, unit)) dropped.push({ path: unit, why: message });
    }
  }
  return dropped;
}

/** Objects of a source, from which the parts of a document came. */
type PartOrigins<Origin> = {
  readonly configuration: {
    readonly report: ImportReport;
    unsupported(object: Origin, why: string): void;
  };
  /** Hosts and services by reference. */
  readonly origins: ReadonlyMap<string, Origin>;
  originOf(path: DocumentPath): Origin | undefined;
  /** Place of what came from no object. */
  readonly elsewhere: SourceLine | undefined;
};

/** Removes what `dropInvalid` finds, and reports each part under the object of the source that it came from. */
export function leaveOutRefused<Origin>(
  document: CommandedDocument,
  { configuration, origins, originOf, elsewhere = { file: "", line: 1 } }: PartOrigins<Origin>,
): void {
  for (const { path, why } of dropInvalid(document)) {
    const [section = "", name = ""] = path.map(String);
    const object = originOf(path);
    if (object === undefined) {
      configuration.report.add({ source: elsewhere, kind: section, name, outcome: "unsupported", why });
      continue;
    }
    configuration.unsupported(object, why);
    if (section !== "hosts" || path.length !== 2) continue;
    for (const [ref, service] of origins)
      if (ref.startsWith(`${name}!`)) configuration.unsupported(service, `its host ${name} was not converted`);
  }
}

/** Text after which a command is known to be one that prints a reason. */
const reasonPrefix = "printf '%s\\n' 'UNKNOWN: ";

/** Command that prints why it cannot be executed, and exits as UNKNOWN. */
const commandThatSays = (why: string): CueObject => ({
  line: `${reasonPrefix}${why.replaceAll("$", "$$$$").replaceAll("'", "'\\''")}'; exit 3`,
  shell: true,
});

/**
 * Replaces the command that a problem is about. Returns false if the problem is about another part of the document, or
 * if an earlier pass replaced the command.
 *
 * @param replaced names of the commands that this pass has replaced: several objects can name one
 */
function replaceCommand(document: CommandedDocument, { path, why }: DroppedPart, replaced: Set<string>): boolean {
  document.commands ??= {};
  const { commands } = document;
  const [section, name = ""] = path.map(String);
  const say = (command: string): boolean => {
    const known = (commands[command] as CueObject | undefined)?.["line"];
    if (typeof known === "string" && known.startsWith(reasonPrefix)) return false;
    commands[command] = commandThatSays(why);
    replaced.add(command);
    return true;
  };
  if (section === "commands") return say(name);
  const value = valueAt(document, path);
  if (path.at(-1) === "command" && typeof value === "string")
    return replaced.has(value) || (!Object.hasOwn(commands, value) && say(value));
  return replaceCheck(document, path, say);
}

/** Replaces the command of a check with arguments that are refused. */
function replaceCheck(document: object, path: DocumentPath, say: (command: string) => boolean): boolean {
  const checkAt = path.indexOf("check");
  if (path[0] !== "hosts" || checkAt < 0 || path[checkAt + 1] !== "args") return false;
  const check = valueAt(document, path.slice(0, checkAt + 1)) as CueObject;
  const command = `check of ${path
    .slice(1, checkAt)
    .filter((part) => part !== "services")
    .join("!")}`;
  if (!say(command)) return false;
  check["command"] = command;
  return Reflect.deleteProperty(check, "args");
}

/** Root fields whose entries are useless without any of their fields. */
const wholeEntries: ReadonlySet<unknown> = new Set(["commands", "handlers", "views", "contacts", "dependencies"]);

/** Smallest part that can be removed for a problem at a path: a field, an element of a list, or a whole object. */
function unitOf(path: DocumentPath): DocumentPath {
  const field = path.at(-1);
  if (field === "check_period" || field === "notification_period") return path;
  const checkAt = path.indexOf("check");
  if (path[0] === "hosts" && checkAt > 0) return path.slice(0, checkAt);
  if (path[0] === "hosts" && path[2] === "address") return path.slice(0, 2);
  if (path[0] === "dependencies" && path[2] === "dependents" && path.length > 3) return path.slice(0, 4);
  if (path[0] === "notifications") return path.slice(0, path[4] === "contacts" ? 6 : path[2] === "levels" ? 4 : 3);
  return wholeEntries.has(path[0]) ? path.slice(0, 2) : path;
}

const valueAt = (document: object, path: DocumentPath): unknown =>
  path.reduce<unknown>((value, part) => {
    if (typeof value !== "object" || value === null) return undefined;
    return (value as Record<string | number, unknown>)[part];
  }, document);

function removeAt(document: object, path: DocumentPath): boolean {
  const parent = valueAt(document, path.slice(0, -1));
  const last = path.at(-1);
  if (typeof parent !== "object" || parent === null || last === undefined) return false;
  if (Array.isArray(parent)) {
    if (parent.length === 1) return removeAt(document, path.slice(0, -1));
    return parent.splice(Number(last), 1).length > 0;
  }
  return Object.hasOwn(parent, last) && Reflect.deleteProperty(parent, last);
}
