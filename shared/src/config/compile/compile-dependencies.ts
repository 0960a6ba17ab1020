import type { DocumentPath } from "../../text/document-path.ts";
import { quoteText } from "../parser/parser.ts";
import type { DependencyPlan } from "../plan.ts";
import type { DependencyDocument } from "../schema/dependency.ts";
import {
  type CompileContext,
  reportCycles,
  reportProblem,
  requireDeclared,
  resolveRef,
  selectRefs,
} from "./compile-context.ts";
import { compileRule } from "./compile-rule.ts";
import type { Edge } from "./cycles.ts";

type Compiled = { readonly plan: DependencyPlan; readonly reads: readonly Edge[] };

/** Compiles the dependencies. Reports objects that depend on themselves and cycles across dependencies. */
export function compileDependencies(c: CompileContext): readonly DependencyPlan[] {
  const compiled = [...c.document.dependencies].map(([name, document]) => compileDependency(name, document, c));
  reportCycles(c, edgesBetween(compiled));
  return compiled.map(({ plan }) => plan);
}

function compileDependency(name: string, document: DependencyDocument, c: CompileContext): Compiled {
  const path = ["dependencies", name];
  requireDeclared(c, "timeperiods", document.period, [...path, "period"]);
  const { rule: on, reads } = compileRule(document.on, [...path, "on"], c);
  const onRefs = reads.map(({ to }) => to);
  const dependents = dependentsOf(document, { path: [...path, "dependents"], onRefs: new Set(onRefs) }, c);
  const { fails_on: failsOn, suppress, states, inherits, period } = document;
  return {
    plan: { name, dependents, on, onRefs, failsOn: [...new Set(failsOn)], suppress, states, inherits, period },
    reads,
  };
}

/** Maximum number of masters in the row of an object. */
const maxMasters = 100;

/** Masters of each object that declared dependencies have, by its reference. Objects of one dependency share a list. */
export function mastersByDependent(dependencies: readonly DependencyPlan[]): ReadonlyMap<string, readonly string[]> {
  const masters = new Map<string, readonly string[]>();
  for (const { dependents, onRefs } of dependencies) {
    const own = [...new Set(onRefs)].slice(0, maxMasters);
    for (const ref of dependents) {
      const known = masters.get(ref);
      masters.set(ref, known === undefined ? own : [...new Set([...known, ...own])].slice(0, maxMasters));
    }
  }
  return masters;
}

type RuleInputs = { readonly path: DocumentPath; readonly onRefs: ReadonlySet<string> };

function dependentsOf(
  document: DependencyDocument,
  { path, onRefs }: RuleInputs,
  c: CompileContext,
): readonly string[] {
  const found = new Set<string>();
  for (const [i, { ref, select: text }] of document.dependents.entries()) {
    const at = [...path, i];
    // An empty text is the fallback of an invalid value, which has been reported.
    if (ref === "" || text === "") continue;
    if ((ref === undefined) === (text === undefined)) {
      const more =
        ref === undefined ? ({ at: "struct" } as const) : { path: [...at, "ref"], conflicts: [[...at, "select"]] };
      reportProblem(c, at, "needs exactly one of ref and select", more);
      continue;
    }
    const where = [...at, ref === undefined ? "select" : "ref"];
    const refs = text === undefined ? [resolveRef(c, ref ?? "", where)] : (selectRefs(c, text, { path: where }) ?? []);
    for (const each of refs) {
      if (each === undefined) continue;
      if (onRefs.has(each))
        reportProblem(c, where, `makes ${quoteText(each)} depend on itself: the rule in on reads it too`);
      else found.add(each);
    }
  }
  return [...found];
}

/** Edges from each dependency to the dependencies whose dependents its rule reads. */
function edgesBetween(compiled: readonly Compiled[]): ReadonlyMap<string, readonly Edge[]> {
  const dependenciesOf = new Map<string, string[]>();
  for (const { plan } of compiled)
    for (const ref of plan.dependents) dependenciesOf.getOrInsertComputed(ref, () => []).push(plan.name);
  return new Map(
    compiled.map(({ plan, reads }) => [
      plan.name,
      reads.flatMap(({ to, path }) => (dependenciesOf.get(to) ?? []).map((name) => ({ to: name, path }))),
    ]),
  );
}
