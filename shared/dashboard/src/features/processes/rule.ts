import type { Status } from "@realmwatch/shared/model/status";

/** Rule of a process. `count` or `percent` of the children of `at_least` have to be as good as the result. */
export type Rule =
  | { readonly kind: "ref"; readonly ref: string }
  | { readonly kind: "select"; readonly selector: string }
  | { readonly kind: "all" | "any" | "degraded"; readonly of: readonly Rule[] }
  | { readonly kind: "at_least"; readonly count?: number; readonly percent?: number; readonly of: readonly Rule[] }
  | { readonly kind: "not"; readonly of: readonly Rule[] };

/** Rule with the settings of its process: the states that count, and the problems that count as ok. */
export type ProcessRule = {
  readonly rule: Rule;
  readonly states: "hard" | "soft";
  readonly ignore: readonly ("downtime" | "acknowledged")[];
};

/** Parses the JSON of a process, as in the configuration; undefined for a form that only a newer server has. */
export function parseRule(text: string): ProcessRule | undefined {
  try {
    const { states = "hard", ignore = [], ...rule } = JSON.parse(text) as Partial<ProcessRule>;
    return { rule: ruleOf(rule), states, ignore };
  } catch {
    return undefined;
  }
}

function ruleOf(raw: unknown): Rule {
  const [[kind, value] = ["", undefined]] = Object.entries((raw ?? {}) as Record<string, unknown>);
  switch (kind) {
    case "ref":
      return { kind, ref: String(value) };
    case "select":
      return { kind, selector: String(value) };
    case "all":
    case "any":
    case "degraded":
      return { kind, of: (value as unknown[]).map(ruleOf) };
    case "not":
      return { kind, of: [ruleOf(value)] };
    case "at_least": {
      const { of, ...amount } = value as { of: unknown[]; count?: number; percent?: number };
      return { kind, ...amount, of: of.map(ruleOf) };
    }
    default:
      throw new TypeError(`a rule of the unknown kind "${kind}"`);
  }
}

/** References and selectors of a rule, with those of its parts. */
export function leavesOf(rule: Rule): { readonly refs: readonly string[]; readonly selectors: readonly string[] } {
  if (rule.kind === "ref") return { refs: [rule.ref], selectors: [] };
  if (rule.kind === "select") return { refs: [], selectors: [rule.selector] };
  const parts = rule.of.map(leavesOf);
  return { refs: parts.flatMap(({ refs }) => refs), selectors: parts.flatMap(({ selectors }) => selectors) };
}

/** Child object with its status. */
export type RuleChild = { readonly id: string; readonly status: Status };

/** Children by reference and by selector; undefined while they are not known. */
export type RuleChildren<C extends RuleChild> = {
  readonly byRef: (ref: string) => C | undefined;
  readonly bySelector: (selector: string) => readonly C[] | undefined;
};

/** Part of a rule with its result. `decides`: the result of the process is that of this part. */
export type RuleNode<C extends RuleChild> = {
  readonly rule: Rule;
  readonly status: Status;
  readonly decides: boolean;
  readonly parts: readonly RuleNode<C>[];
  /** Objects of a reference or selector, and whether they decide. */
  readonly children: readonly { readonly child: C; readonly decides: boolean }[];
};

/** Order of rules, best first. */
const order: readonly Status[] = ["ok", "warning", "unknown", "critical", "unreachable"];
const rank = (status: Status): number => order.indexOf(status);

/** Evaluates a rule over its children, and marks those that its result comes from. */
export function ruleTreeOf<C extends RuleChild>(rule: Rule, children: RuleChildren<C>): RuleNode<C> {
  const node = evaluate(rule, children);
  return mark(node, isProblem(node.status));
}

function evaluate<C extends RuleChild>(rule: Rule, from: RuleChildren<C>): RuleNode<C> {
  const of = (status: Status, children: readonly C[], parts: readonly RuleNode<C>[] = []): RuleNode<C> => ({
    ...{ rule, status, parts },
    decides: false,
    children: children.map((child) => ({ child, decides: false })),
  });
  if (rule.kind === "ref") {
    const child = from.byRef(rule.ref);
    return of(child?.status ?? "pending", child === undefined ? [] : [child]);
  }
  if (rule.kind === "select") {
    const found = from.bySelector(rule.selector) ?? [];
    return of(resultOf(rule, statusesOf(found)), found);
  }
  const parts = rule.of.map((part) => evaluate(part, from));
  return of(resultOf(rule, statusesOf(parts)), [], parts);
}

const statusesOf = (of: readonly { readonly status: Status }[]): readonly Status[] => of.map(({ status }) => status);

/** Result of a rule over the statuses of its parts. Pending ones are left out. */
function resultOf(rule: Rule, statuses: readonly Status[]): Status {
  const sorted = statuses.filter((status) => status !== "pending").toSorted((a, b) => rank(a) - rank(b));
  const [best, worst] = [sorted[0], sorted.at(-1)];
  if (best === undefined || worst === undefined) return "pending";
  switch (rule.kind) {
    case "any":
      return best;
    case "not":
      return worst === "ok" ? "critical" : "ok";
    case "degraded":
      return worst === "critical" ? "warning" : worst;
    case "at_least":
      return sorted[neededOf(rule, statuses.length) - 1] ?? "unknown";
    default:
      return worst;
  }
}

/** Number of children that have to be as good as the result. */
export const neededOf = ({ count, percent = 100 }: { count?: number; percent?: number }, of: number): number =>
  count ?? Math.ceil((percent * of) / 100);

const isProblem = (status: Status): boolean => rank(status) > 0;

/** Marks the parts that the result of a part comes from, if that one decides. */
function mark<C extends RuleChild>(node: RuleNode<C>, decides: boolean): RuleNode<C> {
  const isCause = (status: Status): boolean => {
    if (!decides || status === "pending") return false;
    switch (node.rule.kind) {
      case "ref":
      case "not":
        return true;
      case "any":
        return status === node.status;
      case "at_least":
        return rank(status) >= rank(node.status);
      default:
        // The worst ones, before `degraded` has softened them.
        return rank(status) === Math.max(...worstOf(node).map(rank));
    }
  };
  return {
    ...node,
    decides,
    parts: node.parts.map((part) => mark(part, isCause(part.status))),
    children: node.children.map(({ child }) => ({ child, decides: isCause(child.status) })),
  };
}

const worstOf = <C extends RuleChild>({ parts, children }: RuleNode<C>): readonly Status[] => [
  ...parts.map(({ status }) => status),
  ...children.map(({ child }) => child.status),
];
