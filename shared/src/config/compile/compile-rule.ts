import { never } from "../../model/never.ts";
import type { DocumentPath } from "../../text/document-path.ts";
import type { RulePlan } from "../plan.ts";
import type { RuleDocument } from "../schema/rule.ts";
import { type CompileContext, resolveRef, selectRefs } from "./compile-context.ts";
import type { Edge } from "./cycles.ts";

type CompiledRule = {
  readonly rule: RulePlan;
  /** Objects that the rule reads, each once with the path of its first occurrence. */
  readonly reads: readonly Edge[];
};

/** Compiles a rule: checks references and replaces selectors by the matching objects. Omits invalid parts. */
export function compileRule(document: RuleDocument | undefined, path: DocumentPath, c: CompileContext): CompiledRule {
  const reads = new Map<string, Edge>();
  const addInput = (to: string, path: DocumentPath): Edge => reads.getOrInsert(to, { to, path });
  const rule = document === undefined ? emptyRule : resolveRule(document, path, { c, addInput });
  return { rule, reads: [...reads.values()] };
}

const emptyRule: RulePlan = { kind: "worst", of: [] };
type Walk = { readonly c: CompileContext; readonly addInput: (ref: string, at: DocumentPath) => void };

function resolveRule(document: RuleDocument, path: DocumentPath, walk: Walk): RulePlan {
  const below = (of: readonly (RuleDocument | undefined)[], at: DocumentPath): readonly RulePlan[] =>
    of.flatMap((each, i) => (each === undefined ? [] : [resolveRule(each, [...at, i], walk)]));
  switch (document.kind) {
    case "ref":
      return compileRef(document.text, [...path, "ref"], walk);
    case "select":
      return compileSelect(document.text, [...path, "select"], walk);
    case "all":
      return { kind: "worst", of: below(document.of, [...path, "all"]) };
    case "any":
      return { kind: "best", of: below(document.of, [...path, "any"]) };
    case "degraded":
      return { kind: "degraded", of: below(document.of, [...path, "degraded"]) };
    case "at_least":
      return { kind: "at_least", needed: document.needed, of: below(document.of, [...path, "at_least", "of"]) };
    case "not":
      return {
        kind: "not",
        of: document.of === undefined ? emptyRule : resolveRule(document.of, [...path, "not"], walk),
      };
    default:
      return never(document);
  }
}

function compileRef(text: string, path: DocumentPath, { c, addInput }: Walk): RulePlan {
  const ref = resolveRef(c, text, path);
  if (ref === undefined) return emptyRule;
  addInput(ref, path);
  return { kind: "ref", ref };
}

function compileSelect(text: string, path: DocumentPath, { c, addInput }: Walk): RulePlan {
  const refs = selectRefs(c, text, { path }) ?? [];
  for (const ref of refs) addInput(ref, path);
  return { kind: "worst", of: refs.map((ref) => ({ kind: "ref", ref })) };
}
