import { writeHosts } from "./common-parts.ts";
import type { CueObject } from "./imported-document.ts";
import type { SourceNotes } from "./source-notes.ts";
import { type CueField, type CueStruct, cueFields, cueNode, formatCue, inlineOf } from "./write-cue.ts";

/** File of each section of a document that is written to a folder; others are in `realm.cue`. */
const fileBySection: Readonly<Record<string, string>> = {
  hosts: "hosts.cue",
  contacts: "contacts.cue",
  notifications: "policies.cue",
  timeperiods: "periods.cue",
  commands: "commands.cue",
  resources: "commands.cue",
  handlers: "commands.cue",
  event_handlers: "commands.cue",
  downtimes: "downtimes.cue",
  views: "groups.cue",
};

/** Text of each file of a folder for a document. Definitions of what hosts and services have in common are in one. */
export function documentFiles(document: CueObject, notes: SourceNotes): ReadonlyMap<string, string> {
  const { definitions, hosts } = writeHosts((document["hosts"] ?? {}) as Parameters<typeof writeHosts>[0], notes);
  const files = new Map<string, CueField[]>();
  const add = (file: string, fields: readonly CueField[]): void => {
    if (fields.length > 0) files.set(file, [...(files.get(file) ?? []), ...fields]);
  };
  const { hosts: _hosts, dependencies, ...others } = document;
  for (const field of cueFields(others)) add(fileBySection[field.name] ?? "realm.cue", [withComments(field, notes)]);
  if (dependencies !== undefined)
    add("dependencies.cue", [{ name: "dependencies", value: writeDependencies(dependencies as CueObject) }]);
  add("services.cue", definitions);
  add("hosts.cue", [{ name: "hosts", value: { fields: hosts } }]);
  return new Map([...files].map(([file, fields]) => [file, formatCue(fields)]));
}

/** Text of a document as one file. */
export const documentText = (document: CueObject, notes: SourceNotes): string =>
  [...documentFiles(document, notes).values()].join("\n");

function withComments(section: CueField, { comments }: SourceNotes): CueField {
  const { name, value } = section;
  if (typeof value === "string" || !("fields" in value)) return section;
  const fields = value.fields.map((field) => ({ ...field, comment: comments.get(`${name} ${field.name}`) }));
  return { name, value: { fields } };
}

/** Stands for the name of a host. No text of a document has it. */
const marker = "\uE000";

/** Dependencies between services of one host that are the same on several hosts, with these hosts. */
type Repeated = { readonly entry: string; readonly names: readonly string[]; readonly hosts: readonly string[] };

/** Writes dependencies: those that are the same on several hosts as a comprehension over the hosts. */
function writeDependencies(dependencies: CueObject): CueStruct {
  const patterns = Object.entries(dependencies).flatMap(([name, dependency]) => patternOf(name, dependency) ?? []);
  const repeated = [...Map.groupBy(patterns, ({ entry }) => entry)]
    .filter(([, of]) => of.length > 1)
    .map(([entry, of]): Repeated => ({ entry, names: of.map(({ name }) => name), hosts: of.map(({ host }) => host) }));
  const written = new Set(repeated.flatMap(({ names }) => names));
  const others = Object.entries(dependencies).filter(([name]) => !written.has(name));
  return {
    embedded: repeated.map(({ entry, hosts }) => `for host in ${wrapped(hosts)} ${entry}`),
    fields: cueFields(Object.fromEntries(others)),
  };
}

/** A dependency as it is on any host; undefined when it has objects of other hosts. */
function patternOf(name: string, dependency: unknown): { entry: string; name: string; host: string } | undefined {
  const { on, dependents } = dependency as { on: { ref?: string }; dependents: readonly { ref?: string }[] };
  const [host = "", service] = on.ref?.split("!") ?? [];
  const isLocal = service !== undefined && dependents.every(({ ref }) => ref?.startsWith(`${host}!`) === true);
  if (!isLocal) return undefined;
  const textOf = (text: string): string =>
    JSON.stringify(text.replace(`${host}!`, `${marker}!`)).replace(marker, "\\(host)");
  const title = JSON.stringify(name.replaceAll(`${host}!`, `${marker}!`)).replaceAll(marker, "\\(host)");
  return { entry: `{${title}: ${inlineOf(cueNode(dependency, textOf))}}`, name, host };
}

/** A list of texts in lines of some length. */
function wrapped(texts: readonly string[]): string {
  const lines: string[] = [];
  for (const text of texts.map((each) => JSON.stringify(each))) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + text.length < 100) lines[lines.length - 1] = `${last}, ${text}`;
    else lines.push(text);
  }
  return lines.length === 1 ? `[${lines[0]}]` : `[\n${lines.map((line) => `\t\t${line},\n`).join("")}\t]`;
}
