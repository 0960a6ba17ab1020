import type { DocumentPath } from "../../text/document-path.ts";
import { nearestName } from "../../text/nearest-name.ts";
import {
  formatSelectorError,
  matchesSelector,
  parseSelector,
  type Selector,
  type SelectorSubject,
  selectorUsesStatus,
} from "../../text/selector/selector.ts";
import { quoteText } from "../parser/parser.ts";
import type { DocumentProblem } from "../problem.ts";
import { problemMessage } from "../problem-message.ts";
import type { RealmDocument } from "../schema/configuration.ts";
import type { Cycle } from "./cycles.ts";

/** One compilation: the document, what its objects look like to selectors, and the problems found so far. */
export type CompileContext = {
  readonly document: RealmDocument;
  /** By reference, in the document's order: hosts, services, processes. */
  subjects(): ReadonlyMap<string, SelectorSubject>;
  readonly problems: DocumentProblem[];
};

/** Notes a problem; `predicate` goes on where the field's name ends. */
export function reportProblem(
  c: CompileContext,
  path: DocumentPath,
  predicate: string,
  more: Partial<DocumentProblem> = {},
): void {
  c.problems.push({ path, message: problemMessage(path, predicate), at: "value", ...more });
}

type Section = "timeperiods" | "notifications" | "contacts" | "handlers" | "commands";
const nouns: Readonly<Record<Section, string>> = {
  timeperiods: "timeperiod",
  notifications: "notification policy",
  contacts: "contact",
  handlers: "handler",
  commands: "command",
};

/** Reports a name that its section does not declare. An empty one names nothing, which is never wrong here. */
export function requireDeclared(c: CompileContext, section: Section, name: string, path: DocumentPath): void {
  if (name === "" || c.document[section].has(name)) return;
  reportProblem(
    c,
    path,
    `names the ${nouns[section]} ${quoteText(name)}, which is not declared${nearestHint(name, c.document[section].keys())}`,
  );
}

/** `; the nearest one is "…"`, or nothing where nothing is declared or nothing is within so many edits. */
export function nearestHint(name: string, declared: Iterable<string>, within?: number): string {
  const found = nearestName(name, declared, within);
  return found === undefined ? "" : `; the nearest one is ${quoteText(found)}`;
}

/** The object a reference names; reports one that does not exist and answers undefined. */
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
 * Parses a selector; undefined after a problem. `current` allows `@status`, which only makes sense to whoever asks
 * again and again.
 */
export function parseSelectorAt(
  c: CompileContext,
  text: string,
  { path, current }: { readonly path: DocumentPath; readonly current: boolean },
): Selector | undefined {
  const parsed = parseSelector(text);
  if (!parsed.ok) {
    reportProblem(c, path, `is no selector: ${formatSelectorError(parsed.error)}`);
    return undefined;
  }
  if (current || !selectorUsesStatus(parsed.value)) return parsed.value;
  reportProblem(c, path, "must not ask for @status: what it selects is settled when the document is loaded");
  return undefined;
}

/** References of what a selector matches, by the objects' order; undefined after a problem, nothing matching included. */
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

/** `is part of a cycle: a -> b -> a`, one problem for each cycle, at its first reference. */
export function reportCycles(c: CompileContext, cycles: readonly Cycle[]): void {
  for (const { nodes, path } of cycles) {
    reportProblem(c, path, `is part of a cycle: ${[...nodes, nodes[0]].join(" -> ")}`);
  }
}
