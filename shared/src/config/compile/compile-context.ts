import { nearestName } from "../../text/nearest.ts";
import {
  matchesSelector,
  parseSelector,
  type Selector,
  type SelectorSubject,
  selectorUsesStatus,
  showSelectorError,
} from "../../text/selector/selector.ts";
import type { Cycle } from "./cycles.ts";
import type { RealmDocument } from "../schema/configuration.ts";
import type { Problem } from "../problem.ts";
import { quote } from "../parser/parser.ts";
import { sentence } from "../problem-message.ts";

export type Path = readonly (string | number)[];

/** One compilation: the document, what its objects look like to selectors, and the problems found so far. */
export type Compiling = {
  readonly document: RealmDocument;
  /** By reference, in the document's order: hosts, services, processes. */
  subjects(): ReadonlyMap<string, SelectorSubject>;
  readonly problems: Problem[];
};

/** Notes a problem; `predicate` goes on where the field's name ends. */
export function report(c: Compiling, path: Path, predicate: string, more: Partial<Problem> = {}): void {
  c.problems.push({ path, message: sentence(path, predicate), at: "value", ...more });
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
export function need(c: Compiling, section: Section, name: string, path: Path): void {
  if (name === "" || c.document[section].has(name)) return;
  report(
    c,
    path,
    `names the ${nouns[section]} ${quote(name)}, which is not declared${nearest(name, c.document[section].keys())}`,
  );
}

/** `; the nearest one is "…"`, or nothing where nothing is declared or nothing is within so many edits. */
export function nearest(name: string, declared: Iterable<string>, within?: number): string {
  const found = nearestName(name, declared, within);
  return found === undefined ? "" : `; the nearest one is ${quote(found)}`;
}

/** The object a reference names; reports one that does not exist and answers undefined. */
export function resolve(c: Compiling, ref: string, path: Path): string | undefined {
  if (c.subjects().has(ref)) return ref;
  const host = ref.slice(0, Math.max(0, ref.indexOf("!")));
  const services = c.document.hosts.get(host)?.services;
  const candidates =
    services !== undefined && services.size > 0
      ? [...services.keys()].map((name) => `${host}!${name}`)
      : c.subjects().keys();
  report(c, path, `refers to ${quote(ref)}, which does not exist${nearest(ref, candidates)}`);
  return undefined;
}

/**
 * Parses a selector; undefined after a problem. `current` allows `@status`, which only makes sense to whoever asks
 * again and again.
 */
export function readSelector(
  c: Compiling,
  text: string,
  { path, current }: { readonly path: Path; readonly current: boolean },
): Selector | undefined {
  const parsed = parseSelector(text);
  if (!parsed.ok) {
    report(c, path, `is no selector: ${showSelectorError(parsed.error)}`);
    return undefined;
  }
  if (current || !selectorUsesStatus(parsed.value)) return parsed.value;
  report(c, path, "must not ask for @status: what it selects is settled when the document is loaded");
  return undefined;
}

/** References of what a selector matches, by the objects' order; undefined after a problem, nothing matching included. */
export function select(
  c: Compiling,
  text: string,
  { path, kind }: { readonly path: Path; readonly kind?: "host" | "service" },
): readonly string[] | undefined {
  const selector = readSelector(c, text, { path, current: false });
  if (selector === undefined) return undefined;
  const refs: string[] = [];
  for (const [ref, subject] of c.subjects()) {
    if ((kind === undefined || subject.key.kind === kind) && matchesSelector(selector, subject)) refs.push(ref);
  }
  if (refs.length > 0) return refs;
  report(c, path, `matches no ${kind ?? "object"}: ${quote(text)}`);
  return undefined;
}

/** `is part of a cycle: a -> b -> a`, one problem for each cycle, at its first reference. */
export function reportCycles(c: Compiling, cycles: readonly Cycle[]): void {
  for (const { nodes, path } of cycles) {
    report(c, path, `is part of a cycle: ${[...nodes, nodes[0]].join(" -> ")}`);
  }
}
