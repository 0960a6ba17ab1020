import type { Labels } from "../../model/row.ts";
import type { DocumentPath } from "../../text/document-path.ts";
import { nearestName } from "../../text/nearest-name.ts";
import {
  currentKeyOf,
  formatSelectorError,
  matchesSelector,
  parseSelector,
  type Selector,
  type SelectorSubject,
} from "../../text/selector/selector.ts";
import { quoteText } from "../parser/parser.ts";
import type { DocumentProblem } from "../problem.ts";
import { documentProblem } from "../problem-message.ts";
import type { RealmDocument } from "../schema/configuration.ts";
import { entryNoun } from "../section-noun.ts";
import { type Edge, findCycles } from "./cycles.ts";

/** State of one compilation: the document, its objects as selectors see them, and the problems found so far. */
export type CompileContext = {
  readonly document: RealmDocument;
  /** Objects by reference in the order hosts, services, processes. Computed at the first call. */
  subjects(): ReadonlyMap<string, SelectorSubject>;
  readonly problems: DocumentProblem[];
};

/** Adds a problem. `predicate` continues the sentence after the field's name. */
export const reportProblem = ({ problems }: CompileContext, ...problem: Parameters<typeof documentProblem>): void =>
  void problems.push(documentProblem(...problem));

/** Maximum size of the labels of one object, keys and values together, bytes: its row must fit into a message. */
const maxLabelBytes = 16 * 1024;

/**
 * [RL20] Reports labels that are too large together.
 *
 * @param labels effective labels; keys and values are ASCII
 */
export function limitLabels(c: CompileContext, path: DocumentPath, labels: Labels): void {
  let bytes = 0;
  for (const key in labels) bytes += key.length + (labels[key]?.length ?? 0);
  if (bytes <= maxLabelBytes) return;
  reportProblem(c, [...path, "labels"], `have ${bytes} bytes, and the labels of one object at most ${maxLabelBytes}`);
}

type Section = "timeperiods" | "notifications" | "contacts" | "handlers" | "commands";

/** Reports a name that its section does not declare. An empty name is valid and refers to no entry. */
export function requireDeclared(c: CompileContext, section: Section, name: string, path: DocumentPath): void {
  if (name === "" || c.document[section].has(name)) return;
  reportProblem(
    c,
    path,
    `names the ${entryNoun(section)} ${quoteText(name)}, which is not declared${nearestHint(name, c.document[section].keys())}`,
  );
}

/** Formats `; the nearest one is "…"`; empty when no declared name is within `within` edits. */
export function nearestHint(name: string, declared: Iterable<string>, within?: number): string {
  const found = nearestName(name, declared, within);
  return found === undefined ? "" : `; the nearest one is ${quoteText(found)}`;
}

/** Resolves a reference to an object; reports one that does not exist and returns undefined. */
export function resolveRef(c: CompileContext, ref: string, path: DocumentPath): string | undefined {
  if (c.subjects().has(ref)) return ref;
  const host = ref.slice(0, Math.max(0, ref.indexOf("!")));
  const services = c.document.hosts.get(host)?.services;
  const candidates =
    services !== undefined && services.size > 0
      ? [...services.keys()].map((name) => `${host}!${name}`)
      : c.subjects().keys();
  reportProblem(c, path, `refers to ${quoteText(ref)}, which does not exist${nearestHint(ref, candidates)}`);
  return undefined;
}

/**
 * Parses a selector; undefined after a problem. `current` allows `@status`, which is useful only for selectors that are
 * evaluated repeatedly.
 */
export function parseSelectorAt(
  c: CompileContext,
  text: string,
  { path, current }: { readonly path: DocumentPath; readonly current: boolean },
): Selector | undefined {
  const parsed = parseSelector(text);
  if (!parsed.ok) {
    reportProblem(c, path, `is not a selector: ${formatSelectorError(parsed.error)}`);
    return undefined;
  }
  const currentKey = currentKeyOf(parsed.value);
  if (current || currentKey === undefined) return parsed.value;
  reportProblem(c, path, `must not use ${currentKey}: it is evaluated once, when the document is loaded`);
  return undefined;
}

/** References of the matching objects, in object order; undefined after a problem. Matching no object is a problem. */
export function selectRefs(
  c: CompileContext,
  text: string,
  { path, kind }: { readonly path: DocumentPath; readonly kind?: "host" | "service" },
): readonly string[] | undefined {
  const selector = parseSelectorAt(c, text, { path, current: false });
  if (selector === undefined) return undefined;
  const refs: string[] = [];
  for (const [ref, subject] of c.subjects()) {
    if ((kind === undefined || subject.key.kind === kind) && matchesSelector(selector, subject)) refs.push(ref);
  }
  if (refs.length > 0) return refs;
  reportProblem(c, path, `matches no ${kind ?? "object"}: ${quoteText(text)}`);
  return undefined;
}

/** Reports one problem per cycle of references at its first one: `is part of a cycle: a -> b -> a`. */
export function reportCycles(c: CompileContext, edges: ReadonlyMap<string, readonly Edge[]>): void {
  for (const { nodes, path } of findCycles(edges)) {
    reportProblem(c, path, `is part of a cycle: ${[...nodes, nodes[0]].join(" -> ")}`);
  }
}
