import { integer, number } from "./numbers.ts";
import { complain, filled, kindOf, pathOf, type Reader, type Reading, type Trail, unknownField } from "./shape.ts";

/** A rule as written. `undefined` stands for one that was complained about. */
export type RuleDocument =
  | { readonly kind: "ref" | "select"; readonly text: string }
  | { readonly kind: "all" | "any" | "degraded"; readonly of: readonly (RuleDocument | undefined)[] }
  | {
      readonly kind: "at_least";
      readonly needed: { readonly count: number } | { readonly percent: number };
      readonly of: readonly (RuleDocument | undefined)[];
    }
  | { readonly kind: "not"; readonly of: RuleDocument | undefined };

const kinds = ["ref", "select", "all", "any", "at_least", "degraded", "not"] as const;
type Kind = (typeof kinds)[number];
const oneOfThem = `exactly one of ${kinds.join(", ")}`;
/** Deeper than any business is; keeps every walk over rules within the stack. */
const maxDepth = 64;

export const rule: Reader<RuleDocument | undefined> = (value, trail, reading) =>
  ruleAt(value, { trail, depth: 0 }, reading);

type Where = { readonly trail: Trail; readonly depth: number };

function ruleAt(value: unknown, where: Where, reading: Reading): RuleDocument | undefined {
  const fields = structOf(value, where.trail, reading);
  if (fields === undefined) return undefined;
  const kind = kindOfRule(fields, where.trail, reading);
  if (kind === undefined) return undefined;
  if (where.depth >= maxDepth) {
    complain(reading, where.trail, `is a rule nested more than ${maxDepth} deep`, { at: "struct" });
    return undefined;
  }
  return ruleOf(kind, fields[kind], { trail: { above: where.trail, step: kind }, depth: where.depth + 1 }, reading);
}

/** The one kind that a rule's fields name, or undefined after a problem. */
function kindOfRule(fields: Readonly<Record<string, unknown>>, trail: Trail, reading: Reading): Kind | undefined {
  const names = Object.keys(fields);
  const known = kinds.filter((kind) => names.includes(kind));
  const strangers = names.filter((name) => !known.includes(name as Kind));
  for (const name of strangers) complain(reading, { above: trail, step: name }, unknownField(name, kinds));
  if (known.length > 1) {
    const [path = [], ...rivals] = known.map((kind) => [...pathOf(trail), kind]);
    complain(reading, trail, `must have ${oneOfThem}, but has ${known.join(" and ")}`, { path, rivals });
  } else if (names.length === 0) complain(reading, trail, `must have ${oneOfThem}`, { at: "struct" });
  return known.length === 1 && strangers.length === 0 ? known[0] : undefined;
}

function ruleOf(kind: Kind, value: unknown, where: Where, reading: Reading): RuleDocument | undefined {
  switch (kind) {
    case "ref":
    case "select": {
      const text = filled(value, where.trail, reading);
      return text === "" ? undefined : { kind, text };
    }
    case "all":
    case "any":
    case "degraded":
      return { kind, of: rulesAt(value, where, reading) };
    case "at_least":
      return atLeast(value, where, reading);
    case "not":
      return { kind, of: ruleAt(value, where, reading) };
  }
}

function atLeast(value: unknown, where: Where, reading: Reading): RuleDocument | undefined {
  const fields = structOf(value, where.trail, reading);
  if (fields === undefined) return undefined;
  const at = (step: string): Trail => ({ above: where.trail, step });
  const names = ["count", "percent", "of"];
  for (const name of Object.keys(fields)) {
    if (!names.includes(name)) complain(reading, at(name), unknownField(name, names));
  }
  if (fields.of === undefined) complain(reading, where.trail, "needs a list of rules, of", { at: "struct" });
  const of = fields.of === undefined ? [] : rulesAt(fields.of, { trail: at("of"), depth: where.depth }, reading);
  const { count, percent } = fields;
  if ((count === undefined) === (percent === undefined)) {
    const both = { path: pathOf(at("count")), rivals: [pathOf(at("percent"))] };
    complain(
      reading,
      where.trail,
      "needs exactly one of count and percent",
      count === undefined ? { at: "struct" } : both,
    );
    return { kind: "at_least", needed: { count: 1 }, of };
  }
  const needed =
    count === undefined
      ? { percent: number({ above: 0, max: 100 })(percent, at("percent"), reading) }
      : { count: integer({ min: 1 })(count, at("count"), reading) };
  return { kind: "at_least", needed, of };
}

function rulesAt(value: unknown, { trail, depth }: Where, reading: Reading): readonly (RuleDocument | undefined)[] {
  if (!Array.isArray(value)) {
    complain(reading, trail, `must be a list of rules, not ${kindOf(value)}`);
    return [];
  }
  if (value.length === 0) complain(reading, trail, "must not be empty");
  return value.map((each, step) => ruleAt(each, { trail: { above: trail, step }, depth }, reading));
}

function structOf(value: unknown, trail: Trail, reading: Reading): Readonly<Record<string, unknown>> | undefined {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  complain(reading, trail, `must be a rule, not ${kindOf(value)}`);
  return undefined;
}
