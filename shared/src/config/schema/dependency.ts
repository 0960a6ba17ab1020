import { statuses } from "../../model/status.ts";
import type { ParserOutput } from "../parser/parser.ts";
import { boolean, nonEmptyString, picklist, string } from "../parser/scalars.ts";
import { list, map, optional, required, struct, withDefault } from "../parser/structs.ts";
import { ruleParser } from "./rule.ts";

const oneOfTwo = "exactly one of `ref` and `select`";
const pick = struct(
  {
    ref: optional(nonEmptyString, { help: "One object.", example: "web1!http", constraint: `${oneOfTwo}; must exist` }),
    select: optional(nonEmptyString, {
      help: "Everything that matches.",
      example: "site=fra",
      constraint: `${oneOfTwo}; a selector without \`@status\` that matches something`,
    }),
  },
  { title: "Dependent", intro: "Whose notifications a dependency holds back." },
);

const dependency = struct(
  {
    dependents: required(list(pick, { nonEmpty: true }), {
      help: "Whose notifications are held back.",
      constraint: "none that `on` reads as well; no cycles",
    }),
    on: required(ruleParser, { help: "What they depend on." }),
    fails_on: required(list(picklist(statuses), { nonEmpty: true }), {
      help: "With which status of `on` it has failed.",
      example: ["critical", "unknown"],
    }),
    suppress: withDefault(picklist(["all", "problems"]), "all", {
      help: "Whether recoveries and everything else are held back too, or problems only.",
      example: "problems",
    }),
    states: withDefault(picklist(["hard", "soft"]), "hard", {
      help: "Whether confirmed states count only, or every result.",
      example: "soft",
    }),
    inherits: withDefault(boolean, false, {
      help: "Whether it has failed as well where what it depends on is held back itself.",
      example: true,
    }),
    period: withDefault(string, "", {
      help: "When it applies; empty: always.",
      example: "office-hours",
      constraint: "a key of `timeperiods`",
    }),
  },
  {
    title: "Dependency",
    intro: `While what is depended on has failed, its dependents tell nobody: whoever mends the line does not want to read of every
shop behind it. Hosts behind a host that is down need no dependency, \`parents\` say that.`,
    example: `hosts: {
	db1: {address: "192.0.2.20", check: {type: "tcp", address: "192.0.2.20:5432", flap: {}}}
	web1: {address: "192.0.2.10", labels: app: "shop", check: {type: "http", url: "http://192.0.2.10/", flap: {}}}
}
dependencies: database: {dependents: [{select: "app=shop"}], on: {ref: "db1"}, fails_on: ["critical", "unknown"]}`,
  },
);

export const dependenciesParser = map(dependency);
export type DependencyDocument = ParserOutput<typeof dependency>;
