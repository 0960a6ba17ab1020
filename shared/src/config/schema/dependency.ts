import { statuses } from "../../model/status.ts";
import { periodField } from "../parser/names.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { boolean, nonEmptyString, picklist } from "../parser/scalars.ts";
import { list, map, optional, required, struct, withDefault } from "../parser/structs.ts";
import { ruleParser } from "./rule.ts";

const refOrSelect = "exactly one of `ref` and `select`";
const dependent = struct(
  {
    ref: optional(nonEmptyString, {
      help: "One object.",
      example: "web1!http",
      constraint: `${refOrSelect}; must exist`,
    }),
    select: optional(nonEmptyString, {
      help: "All matching objects.",
      example: "site=fra",
      constraint: `${refOrSelect}; a selector without \`@status\` that matches at least one object`,
    }),
  },
  { title: "Dependent", intro: "Object or objects whose notifications a dependency suppresses." },
);

const dependency = struct(
  {
    dependents: required(list(dependent, { nonEmpty: true }), {
      help: "Objects whose notifications are suppressed.",
      constraint: "no object that `on` reads; no cycles",
    }),
    on: required(ruleParser, { help: "Rule that computes the status of the objects they depend on." }),
    fails_on: required(list(picklist(statuses), { nonEmpty: true }), {
      help: "Statuses of `on` in which the dependency has failed.",
      example: ["critical", "unknown"],
    }),
    suppress: withDefault(picklist(["all", "problems"]), "all", {
      help: "Notifications that are suppressed: all kinds, or problems only.",
      example: "problems",
    }),
    states: withDefault(picklist(["hard", "soft"]), "hard", {
      help: "States that `on` reads: hard states only, or the status of every result.",
      example: "soft",
    }),
    inherits: withDefault(boolean, false, {
      help: "Also counts as failed while notifications of the objects in `on` are suppressed by a dependency.",
      example: true,
    }),
    period: periodField("Period in which the dependency applies; empty: always."),
  },
  {
    title: "Dependency",
    intro: `Suppresses the notifications of dependents while the objects they depend on have failed, so that one cause does not notify
for every object behind it. Hosts behind a host that is down need no dependency: \`parents\` covers this case.`,
    example: `hosts: {
	db1: {address: "192.0.2.20", check: {type: "tcp", address: "192.0.2.20:5432", flap: {}}}
	web1: {address: "192.0.2.10", labels: app: "shop", check: {type: "http", url: "http://192.0.2.10/", flap: {}}}
}
dependencies: database: {dependents: [{select: "app=shop"}], on: {ref: "db1"}, fails_on: ["critical", "unknown"]}`,
  },
);

export const dependenciesParser = map(dependency);
export type DependencyDocument = ParserOutput<typeof dependency>;
