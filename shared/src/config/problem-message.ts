import { formatKey } from "../model/object-key.ts";
import type { DocumentPath } from "../text/document-path.ts";
import { escapeUnprintable } from "../text/unprintable.ts";
import type { DocumentProblem } from "./problem.ts";

/** Nouns for entries of top-level maps, used in messages. */
const nouns: Readonly<Record<string, string>> = {
  hosts: "host",
  processes: "process",
  commands: "command",
  contacts: "contact",
  notifications: "notification policy",
  views: "view",
  sinks: "sink",
  timeperiods: "timeperiod",
  downtimes: "downtime",
  slos: "slo",
  dependencies: "dependency",
  handlers: "handler",
  datasources: "datasource",
  receivers: "receiver",
  auth: "identity",
  realms: "realm",
};

/** Splits a path into the entry it leads into, in words, and the field within it. */
function problemSubject(path: DocumentPath): { readonly subject: string; readonly field: string } {
  const [section, name, inner, service] = path.map(String);
  if (section === undefined || name === undefined) return { subject: "", field: section ?? "" };
  if (section === "ui" && name === "panels" && inner !== undefined)
    return { subject: `panel ${JSON.stringify(inner)}`, field: fieldOf(path.slice(3)) };
  const noun = nouns[section];
  if (noun === undefined) return { subject: "", field: fieldOf(path) };
  if (section === "hosts" && inner === "services" && service !== undefined)
    return { subject: formatKey({ kind: "service", host: name, name: service }), field: fieldOf(path.slice(4)) };
  return { subject: `${noun} ${JSON.stringify(name)}`, field: fieldOf(path.slice(2)) };
}

/** Formats a path as `levels[0].contacts[1]`. A label that is not an identifier is quoted. */
function fieldOf(path: DocumentPath): string {
  let field = "";
  for (const part of path) {
    if (typeof part === "number") field += `[${part}]`;
    else field += `${field === "" ? "" : "."}${/^[\p{L}_][\p{L}\p{N}_]*$/u.test(part) ? part : JSON.stringify(part)}`;
  }
  return field;
}

/**
 * Formats a message about a path: `host "web1": address must not be empty`.
 *
 * @param predicate starts with a verb
 */
export function problemMessage(path: DocumentPath, predicate: string): string {
  const { subject, field } = problemSubject(path);
  if (field === "") return escapeUnprintable(`${subject === "" ? "the document" : subject} ${predicate}`);
  return escapeUnprintable(`${subject === "" ? "" : `${subject}: `}${field} ${predicate}`);
}

/** Problem at a path, of the value there unless `more` says otherwise. `predicate`: as in `problemMessage`. */
export const documentProblem = (
  path: DocumentPath,
  predicate: string,
  more: Partial<DocumentProblem> = {},
): DocumentProblem => ({ path, message: problemMessage(path, predicate), at: "value", ...more });
