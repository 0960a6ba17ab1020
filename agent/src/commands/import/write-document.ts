import { writeHosts } from "./common-parts.ts";
import type { CueObject } from "./imported-document.ts";
import type { SourceNotes } from "./source-notes.ts";
import { type CueField, cueFields, formatCue } from "./write-cue.ts";
import { writeDependencies } from "./write-dependencies.ts";

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
