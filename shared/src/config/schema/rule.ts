import { never } from "../../model/never.ts";
import { isStruct } from "../../text/json-values.ts";
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
import type { FieldDocs, FieldSchema, FieldSchemas, Schema, SectionDocs } from "../parser/schema.ts";
import { optional } from "../parser/structs.ts";

/** A rule as the document declares it. Undefined in `of` stands for an invalid rule, which has been reported. */
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
const oneOfKinds = `exactly one of ${kinds.join(", ")}`;
/** Maximum nesting depth. Limits the stack use of every recursion over rules. */
const maxDepth = 64;

const ruleSection: SectionDocs = {
  title: "Rule",
  intro: `Computes one status from the statuses of several objects. A rule has exactly one of these fields. The order from best to
worst is: ok, warning, unknown, critical, unreachable. Pending children are ignored; if all children are pending, so is
the rule. Rules nest at most 64 levels deep.`,
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
  intro:
    "Requires a number n of healthy children: the status is the worst of the n best children. With fewer than n children it is unknown.",
};
const ruleLink: Schema = { kind: "link", title: ruleSection.title };
const rulesSchema: Schema = { kind: "list", of: ruleLink, nonEmpty: true };
const count = integer({ min: 1 });
const percent = number({ above: 0, max: 100 });
const countOrPercent = "exactly one of `count` and `percent`";
const several = [{ ref: "web1" }, { ref: "web2" }];

const atLeastFields: FieldSchemas = {
  count: optional(count, { help: "Number of children n.", example: 2, constraint: countOrPercent }),
  percent: optional(percent, {
    help: "Number of children n in percent of all children, rounded up.",
    example: 50,
    constraint: countOrPercent,
  }),
  of: { parser: { schema: rulesSchema }, docs: { help: "Children.", example: several } },
};
const ruleField = (schema: Schema, docs: FieldDocs): FieldSchema => ({
  parser: { schema },
  defaultTo: { value: undefined },
  docs,
});
const ruleFields: FieldSchemas = {
  ref: ruleField(nonEmptyString.schema, {
    help: "Status of one object.",
    example: "web1!http",
    constraint: "a host `HOST`, a service `HOST!SERVICE` or a process `process:NAME`; no cycles",
  }),
  select: ruleField(nonEmptyString.schema, {
    help: "Worst status of all matching objects.",
    example: "app=shop,@kind=service",
    constraint: "a selector without `@status` that matches at least one object",
  }),
  all: ruleField(rulesSchema, { help: "Worst status of these rules.", example: several }),
  any: ruleField(rulesSchema, { help: "Best status of these rules.", example: several }),
  at_least: ruleField(
    { kind: "struct", section: atLeastSection, fields: atLeastFields },
    { help: "Worst status of the n best children." },
  ),
  degraded: ruleField(rulesSchema, {
    help: "Worst status of these rules, with critical lowered to warning.",
    example: several,
  }),
  not: ruleField(ruleLink, {
    help: "Critical when the rule is ok, and ok when the rule is any problem.",
    example: { ref: "web1" },
  }),
};

/** Parser of a rule; yields undefined after a problem. */
export const ruleParser: Parser<RuleDocument | undefined> = createParser(
  { kind: "struct", section: ruleSection, fields: ruleFields },
  (value, node, context) => parseRule(value, { node, depth: 0 }, context),
);

type Position = { readonly node: PathNode; readonly depth: number };

function parseRule(value: unknown, position: Position, context: ParseContext): RuleDocument | undefined {
  const fields = parseRuleStruct(value, position.node, context);
  if (fields === undefined) return undefined;
  const kind = parseKind(fields, position.node, context);
  if (kind === undefined) return undefined;
  if (position.depth >= maxDepth) {
    addProblem(context, position.node, `is a rule nested more than ${maxDepth} deep`, { at: "struct" });
    return undefined;
  }
  const child: Position = { node: { parent: position.node, key: kind }, depth: position.depth + 1 };
  return parseRuleOfKind(kind, fields[kind], child, context);
}

/** The one kind that a rule's fields name; undefined after a problem. */
function parseKind(fields: Readonly<Record<string, unknown>>, node: PathNode, context: ParseContext): Kind | undefined {
  const names = Object.keys(fields);
  const known = kinds.filter((kind) => names.includes(kind));
  const unknown = names.filter((name) => !known.includes(name as Kind));
  for (const name of unknown) addProblem(context, { parent: node, key: name }, describeUnknownField(name, kinds));
  if (known.length > 1) {
    const [path = [], ...conflicts] = known.map((kind) => [...toDocumentPath(node), kind]);
    addProblem(context, node, `must have ${oneOfKinds}, but has ${known.join(" and ")}`, { path, conflicts });
  } else if (names.length === 0) addProblem(context, node, `must have ${oneOfKinds}`, { at: "struct" });
  return known.length === 1 && unknown.length === 0 ? known[0] : undefined;
}

function parseRuleOfKind(
  kind: Kind,
  value: unknown,
  position: Position,
  context: ParseContext,
): RuleDocument | undefined {
  switch (kind) {
    case "ref":
    case "select": {
      const text = nonEmptyString(value, position.node, context);
      return text === "" ? undefined : { kind, text };
    }
    case "all":
    case "any":
    case "degraded":
      return { kind, of: parseRules(value, position, context) };
    case "at_least":
      return parseAtLeast(value, position, context);
    case "not":
      return { kind, of: parseRule(value, position, context) };
    default:
      return never(kind);
  }
}

function parseAtLeast(value: unknown, position: Position, context: ParseContext): RuleDocument | undefined {
  const fields = parseRuleStruct(value, position.node, context);
  if (fields === undefined) return undefined;
  const child = (key: string): PathNode => ({ parent: position.node, key });
  const names = Object.keys(atLeastFields);
  for (const name of Object.keys(fields)) {
    if (!names.includes(name)) addProblem(context, child(name), describeUnknownField(name, names));
  }
  if (fields.of === undefined) addProblem(context, position.node, "needs a list of rules, of", { at: "struct" });
  const of =
    fields.of === undefined ? [] : parseRules(fields.of, { node: child("of"), depth: position.depth }, context);
  if ((fields.count === undefined) === (fields.percent === undefined)) {
    const both = { path: toDocumentPath(child("count")), conflicts: [toDocumentPath(child("percent"))] };
    addProblem(
      context,
      position.node,
      "needs exactly one of count and percent",
      fields.count === undefined ? { at: "struct" } : both,
    );
    return { kind: "at_least", needed: { count: 1 }, of };
  }
  const needed =
    fields.count === undefined
      ? { percent: percent(fields.percent, child("percent"), context) }
      : { count: count(fields.count, child("count"), context) };
  return { kind: "at_least", needed, of };
}

function parseRules(
  value: unknown,
  { node, depth }: Position,
  context: ParseContext,
): readonly (RuleDocument | undefined)[] {
  if (!Array.isArray(value)) {
    addProblem(context, node, `must be a list of rules, not ${describeType(value)}`);
    return [];
  }
  if (value.length === 0) addProblem(context, node, "must not be empty");
  return value.map((each, key) => parseRule(each, { node: { parent: node, key }, depth }, context));
}

function parseRuleStruct(
  value: unknown,
  node: PathNode,
  context: ParseContext,
): Readonly<Record<string, unknown>> | undefined {
  if (isStruct(value)) return value;
  addProblem(context, node, `must be a rule, not ${describeType(value)}`);
  return undefined;
}
