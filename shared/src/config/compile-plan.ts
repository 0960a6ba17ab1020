import { hashText } from "../text/hash.ts";
import { fail, ok, type Result } from "../words/result.ts";
import { compileCommands } from "./command-lines.ts";
import { compileContacts, compilePolicies } from "./compile-contacts.ts";
import { compileDependencies } from "./compile-dependencies.ts";
import { compileEventHandlers, compileHandlers } from "./compile-handlers.ts";
import { compileObjects } from "./compile-objects.ts";
import {
  compileDatasources,
  compileDowntimes,
  compilePanels,
  compileSinks,
  compileSlos,
  compileViews,
} from "./compile-reporting.ts";
import { compileTimeperiods } from "./compile-timeperiods.ts";
import type { Compiling } from "./compiling.ts";
import { document as documentShape } from "./document.ts";
import type { RealmPlan } from "./plan.ts";
import type { Problem } from "./problem.ts";
import { readDocument } from "./reading.ts";
import { sentence } from "./subject.ts";
import { subjectsOf } from "./subjects.ts";

export type PlanOptions = {
  /** The realm's name, for selectors that ask for `@realm`. */
  readonly realm: string;
  /** IANA name of the machine's zone: what `Local` means. */
  readonly localZone: string;
  /** `demo` takes away whatever runs a program that the document itself may choose. */
  readonly profile?: "demo" | undefined;
};

const demoRefuses = { check: ["command"], contact: ["command"], sink: ["exec", "file"] };

/**
 * Compiles an evaluated configuration document. All of its problems are found in one go: a field that is wrong is read
 * as a harmless stand-in, so that the rules between fields and objects are checked all the same. No problem's message
 * quotes a secret.
 */
export function compilePlan(json: unknown, options: PlanOptions): Result<RealmPlan, readonly Problem[]> {
  const { document, problems } = readDocument(documentShape, json, options.profile === "demo" ? demoRefuses : {});
  if (options.profile === "demo" && document.commands.size > 0)
    problems.push({
      path: ["commands"],
      message: sentence(["commands"], "must be empty under the demo profile"),
      at: "value",
    });
  const c: Compiling = { document, subjects: subjectsOf(document, options.realm), problems };
  const plan = planOf(c, options);
  return problems.length > 0 ? fail(problems) : ok(plan);
}

function planOf(c: Compiling, { localZone }: PlanOptions): RealmPlan {
  const commands = compileCommands(c);
  const objects = compileObjects(c, commands);
  const rest = {
    resources: c.document.resources,
    commands,
    contacts: compileContacts(c),
    policies: compilePolicies(c),
    timeperiods: compileTimeperiods(c, localZone),
    recurringDowntimes: compileDowntimes(c),
    dependencies: compileDependencies(c),
    handlers: compileHandlers(c),
    eventHandlers: compileEventHandlers(c),
    sinks: compileSinks(c),
    slos: compileSlos(c),
    views: compileViews(c),
    datasources: compileDatasources(c),
    panels: compilePanels(c),
    availabilityRangeMs: c.document.ui.availability?.range,
  };
  const digests = [...objects.values()].map(({ ref, digest }) => [ref, digest]);
  return { hash: hashText(JSON.stringify([digests, rest], mapsAsLists)), objects, ...rest };
}

const mapsAsLists = (_key: string, value: unknown): unknown => (value instanceof Map ? [...value] : value);
