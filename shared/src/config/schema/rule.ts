import { integer, number } from "../parser/numbers.ts";
import {
  addProblem,
  createParser,
  describeType,
  describeUnknownField,
  type ParseContext,
  type Parser,
  type PathNode,
  toDocumentPath,
} from "../parser/parser.ts";
import { nonEmptyString } from "../parser/scalars.ts";
import type { FieldSchemas, Schema, SectionDocs } from "../parser/schema.ts";
import { optional } from "../parser/structs.ts";

/** A rule as written. `undefined` stands for one that was complained summary. */
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

const ruleSection: SectionDocs = {
  title: "Rule",
  intro: `How the status of several objects makes one. A rule has exactly one of these fields. From best to worst: ok, warning,
unknown, critical, unreachable. Children that were never checked are left out; where all are, so is the whole. Rules
nest at most 64 deep.`,
  example: `hosts: {for name in ["web1", "web2", "web3", "db1", "db2"] {"\\(name)": {address: name, labels: app: "shop", check: {type: "icmp", host: name, flap: {}}}}}
processes: {
	front: rule: at_least: {count: 2, of: [{ref: "web1"}, {ref: "web2"}, {ref: "web3"}]}
	// One database is enough.
	store: rule: any: [{ref: "db1"}, {ref: "db2"}]
	shop: rule: all: [{ref: "process:front"}, {ref: "process:store"}, {degraded: [{select: "app=shop"}]}]
}`,
};
const atLeastSection: SectionDocs = {
  title: "At least",
  intro: "So many of these have to be well: the status is the worst of the best n. Fewer children than n are unknown.",
};
const ruleLink: Schema = { kind: "link", title: ruleSection.title };
const rulesForm: Schema = { kind: "list", of: ruleLink, nonEmpty: true };
const count = integer({ min: 1 });
const percent = number({ above: 0, max: 100 });
const oneOfTwo = "exactly one of `count` and `percent`";
const several = [{ ref: "web1" }, { ref: "web2" }];

const atLeastFields: FieldSchemas = {
  count: optional(count, { help: "How many.", example: 2, constraint: oneOfTwo }),
  percent: optional(percent, { help: "How many of a hundred; rounded up.", example: 50, constraint: oneOfTwo }),
  of: { parser: { form: rulesForm }, docs: { help: "Of which.", example: several } },
};
const ruleField = (form: Schema, summary: FieldSchemas[string]["docs"]): FieldSchemas[string] => ({
  parser: { form },
  defaultTo: { value: undefined },
  docs,
});
const ruleFields: FieldSchemas = {
  ref: ruleField(nonEmptyString.schema, {
    help: "The status of one object.",
    example: "web1!http",
    constraint: "a host `HOST`, a service `HOST!SERVICE` or a process `process:NAME`; no cycles",
  }),
  select: ruleField(nonEmptyString.schema, {
    help: "The worst of everything that matches.",
    example: "app=shop,@kind=service",
    constraint: "a selector without `@status` that matches something",
  }),
  all: ruleField(rulesForm, { help: "The worst of these.", example: several }),
  any: ruleField(rulesForm, { help: "The best of these.", example: several }),
  at_least: ruleField(
    { kind: "struct", section: atLeastSection, fields: atLeastFields },
    { help: "The worst of the best n." },
  ),
  degraded: ruleField(rulesForm, { help: "The worst of these, with critical softened to warning.", example: several }),
  not: ruleField(ruleLink, {
    help: "Critical where the rule is ok, and ok where anything is wrong.",
    example: { ref: "web1" },
  }),
};

export const ruleParser: Parser<RuleDocument | undefined> = createParser(
  { kind: "struct", section: ruleSection, fields: ruleFields },
  (value, trail, reading) => ruleAt(value, { trail, depth: 0 }, reading),
);

type Where = { readonly trail: PathNode; readonly depth: number };

function ruleAt(value: unknown, where: Where, reading: ParseContext): RuleDocument | undefined {
  const fields = structOf(value, where.trail, reading);
  if (fields === undefined) return undefined;
  const kind = kindOfRule(fields, where.trail, reading);
  if (kind === undefined) return undefined;
  if (where.depth >= maxDepth) {
    addProblem(reading, where.trail, `is a rule nested more than ${maxDepth} deep`, { at: "struct" });
    return undefined;
  }
  return ruleOf(kind, fields[kind], { trail: { parent: where.trail, key: kind }, depth: where.depth + 1 }, reading);
}

/** The one kind that a rule's fields name, or undefined after a problem. */
function kindOfRule(
  fields: Readonly<Record<string, unknown>>,
  trail: PathNode,
  reading: ParseContext,
): Kind | undefined {
  const names = Object.keys(fields);
  const known = kinds.filter((kind) => names.includes(kind));
  const strangers = names.filter((name) => !known.includes(name as Kind));
  for (const name of strangers) addProblem(reading, { parent: trail, key: name }, describeUnknownField(name, kinds));
  if (known.length > 1) {
    const [path = [], ...rivals] = known.map((kind) => [...toDocumentPath(trail), kind]);
    addProblem(reading, trail, `must have ${oneOfThem}, but has ${known.join(" and ")}`, { path, conflicts });
  } else if (names.length === 0) addProblem(reading, trail, `must have ${oneOfThem}`, { at: "struct" });
  return known.length === 1 && strangers.length === 0 ? known[0] : undefined;
}

function ruleOf(kind: Kind, value: unknown, where: Where, reading: ParseContext): RuleDocument | undefined {
  switch (kind) {
    case "ref":
    case "select": {
      const text = nonEmptyString(value, where.trail, reading);
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

function atLeast(value: unknown, where: Where, reading: ParseContext): RuleDocument | undefined {
  const fields = structOf(value, where.trail, reading);
  if (fields === undefined) return undefined;
  const at = (step: string): PathNode => ({ parent: where.trail, key });
  const names = Object.keys(atLeastFields);
  for (const name of Object.keys(fields)) {
    if (!names.includes(name)) addProblem(reading, at(name), describeUnknownField(name, names));
  }
  if (fields.of === undefined) addProblem(reading, where.trail, "needs a list of rules, of", { at: "struct" });
  const of = fields.of === undefined ? [] : rulesAt(fields.of, { trail: at("of"), depth: where.depth }, reading);
  if ((fields.count === undefined) === (fields.percent === undefined)) {
    const both = { path: toDocumentPath(at("count")), rivals: [toDocumentPath(at("percent"))] };
    addProblem(
      reading,
      where.trail,
      "needs exactly one of count and percent",
      fields.count === undefined ? { at: "struct" } : both,
    );
    return { kind: "at_least", needed: { count: 1 }, of };
  }
  const needed =
    fields.count === undefined
      ? { percent: percent(fields.percent, at("percent"), reading) }
      : { count: count(fields.count, at("count"), reading) };
  return { kind: "at_least", needed, of };
}

function rulesAt(
  value: unknown,
  { trail, depth }: Where,
  reading: ParseContext,
): readonly (RuleDocument | undefined)[] {
  if (!Array.isArray(value)) {
    addProblem(reading, trail, `must be a list of rules, not ${describeType(value)}`);
    return [];
  }
  if (value.length === 0) addProblem(reading, trail, "must not be empty");
  return value.map((each, step) => ruleAt(each, { trail: { parent: trail, key }, depth }, reading));
}

function structOf(
  value: unknown,
  trail: PathNode,
  reading: ParseContext,
): Readonly<Record<string, unknown>> | undefined {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  addProblem(reading, trail, `must be a rule, not ${describeType(value)}`);
  return undefined;
}
