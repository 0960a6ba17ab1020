import { statuses } from "../../model/status.ts";
import type { Read } from "../parser/parser.ts";
import { rule } from "./rule.ts";
import { absent, list, map, optional, required, struct } from "../parser/structs.ts";
import { filled, flag, text, word } from "../parser/strings.ts";

const oneOfTwo = "exactly one of `ref` and `select`";
const pick = struct(
  {
    ref: absent(filled, { help: "One object.", example: "web1!http", constraint: `${oneOfTwo}; must exist` }),
    select: absent(filled, {
      help: "Everything that matches.",
      example: "site=fra",
      constraint: `${oneOfTwo}; a selector without \`@status\` that matches something`,
    }),
  },
  { title: "Dependent", intro: "Whose notifications a dependency holds back." },
);

const dependency = struct(
  {
    dependents: required(list(pick, { filled: true }), {
      help: "Whose notifications are held back.",
      constraint: "none that `on` reads as well; no cycles",
    }),
    on: required(rule, { help: "What they depend on." }),
    fails_on: required(list(word(statuses), { filled: true }), {
      help: "With which status of `on` it has failed.",
      example: ["critical", "unknown"],
    }),
    suppress: optional(word(["all", "problems"]), "all", {
      help: "Whether recoveries and everything else are held back too, or problems only.",
      example: "problems",
    }),
    states: optional(word(["hard", "soft"]), "hard", {
      help: "Whether confirmed states count only, or every result.",
      example: "soft",
    }),
    inherits: optional(flag, false, {
      help: "Whether it has failed as well where what it depends on is held back itself.",
      example: true,
    }),
    period: optional(text, "", {
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

export const dependencies = map(dependency);
export type DependencyDocument = Read<typeof dependency>;
