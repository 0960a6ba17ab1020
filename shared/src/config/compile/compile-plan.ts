import { fail, ok, type Result } from "../../model/result.ts";
import { hashText } from "../../text/hash.ts";
import { isStruct } from "../../text/json-values.ts";
import { type CompiledObjects, digestIn } from "../object-identities.ts";
import { parseDocument } from "../parser/parser.ts";
import type { ObjectPlan, RealmPlan } from "../plan.ts";
import type { DocumentProblem } from "../problem.ts";
import { configurationParser as documentParser, type RealmDocument } from "../schema/configuration.ts";
import { compileCommands } from "./compile-commands.ts";
import { compileContacts, compilePolicies } from "./compile-contacts.ts";
import type { CompileContext } from "./compile-context.ts";
import { compileDependencies, mastersByDependent } from "./compile-dependencies.ts";
import { compileEventHandlers, compileHandlers } from "./compile-handlers.ts";
import { compileObjects } from "./compile-objects.ts";
import { compileReceivers } from "./compile-receivers.ts";
import { compileDatasources, compileDowntimes, compilePanels, compileSlos, compileViews } from "./compile-reporting.ts";
import { compileSinks } from "./compile-sinks.ts";
import { compileTimeperiods } from "./compile-timeperiods.ts";
import { demoProblems, demoUses } from "./demo-profile.ts";
import { selectorSubjects } from "./selector-subjects.ts";

export type PlanOptions = {
  /** Name of the realm, for selectors that use `@realm`. */
  readonly realm: string;
  /** IANA name of the machine's time zone, which `Local` stands for. */
  readonly localZone: string;
  /** `demo` accepts only what runs no program or code of the document's choice and writes to no file. */
  readonly profile?: "demo" | undefined;
};

/** Plan without its objects. */
export type PlanHead = Omit<RealmPlan, "hash" | "objects">;

/** Compilation of a plan, object by object. The result must not be used unless `finish` succeeds. */
type PlanCompilation = {
  readonly head: PlanHead;
  readonly hosts: RealmDocument["hosts"];
  /** Compiles the objects in the plan's order. Must be called once. */
  objects(): Iterable<CompiledObjects>;
  /** True when no problem has been found so far. */
  isValid(): boolean;
  /** Returns the plan's hash or all problems. Must be called after the last object. */
  finish(): Result<string, readonly DocumentProblem[]>;
};

/**
 * Compiles an evaluated configuration document. One pass finds all problems: an invalid field is replaced by a fallback,
 * so that rules between fields and objects are still checked. No message quotes a secret.
 */
export function compilePlan(json: unknown, options: PlanOptions): Result<RealmPlan, readonly DocumentProblem[]> {
  const compilation = startCompilation(json, options);
  const objects = new Map<string, ObjectPlan>();
  for (const each of compilation.objects()) if (each.kind === "compiled") objects.set(each.object.ref, each.object);
  const hash = compilation.finish();
  return hash.ok ? ok({ hash: hash.value, objects, ...compilation.head }) : hash;
}

/**
 * Everything on which the plan of an object depends besides its own document and its links: the options, and all that the
 * document declares besides hosts, as a text.
 */
export const contextOf = (json: unknown, options: PlanOptions): string =>
  JSON.stringify([options, isStruct(json) ? { ...json, hosts: undefined } : undefined]);

/**
 * Starts a compilation that yields objects one by one, so that they can be sent while others are compiled. Hosts that
 * were checked before must have been so in the same context.
 */
export function startCompilation(json: unknown, options: PlanOptions): PlanCompilation {
  const { document, problems } = parseDocument(documentParser, json, options.profile === "demo" ? demoUses : undefined);
  if (options.profile === "demo") problems.push(...demoProblems(document));
  let subjects: ReturnType<typeof selectorSubjects> | undefined;
  const c: CompileContext = {
    document,
    problems,
    subjects() {
      subjects ??= selectorSubjects(document, options.realm);
      return subjects;
    },
  };
  const head = compileHead(c, options);
  const digests: string[] = [];
  return {
    head,
    hosts: document.hosts,
    *objects() {
      const masters = mastersByDependent(head.dependencies);
      for (const each of compileObjects(c, { commands: head.commands, masters })) {
        if (each.kind === "compiled") digests.push(each.object.digest);
        else for (const identity of each.identities) digests.push(digestIn(identity));
        yield each;
      }
    },
    isValid: () => problems.length === 0,
    finish: () =>
      problems.length > 0 ? fail(problems) : ok(hashText(JSON.stringify([digests.join(""), head], mapsAsLists))),
  };
}

function compileHead(c: CompileContext, { localZone }: PlanOptions): PlanHead {
  return {
    resources: c.document.resources,
    commands: compileCommands(c),
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
    receivers: compileReceivers(c),
    availabilityRangeMs: c.document.ui.availability?.range,
  };
}

const mapsAsLists = (_key: string, value: unknown): unknown => (value instanceof Map ? [...value] : value);
