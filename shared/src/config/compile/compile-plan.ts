import { fail, ok, type Result } from "../../model/result.ts";
import { hashText } from "../../text/hash.ts";
import { commandCheckTypes } from "../check-kinds/check-kinds.ts";
import { programContactKinds } from "../contact-kinds/contact-kinds.ts";
import { parseDocument } from "../parser/parser.ts";
import type { ObjectPlan, RealmPlan } from "../plan.ts";
import type { DocumentProblem } from "../problem.ts";
import { problemMessage } from "../problem-message.ts";
import { configurationParser as documentShape } from "../schema/configuration.ts";
import { demoRefusedSinkTypes } from "../schema/sink.ts";
import { compileCommands } from "./compile-commands.ts";
import { compileContacts, compilePolicies } from "./compile-contacts.ts";
import type { CompileContext } from "./compile-context.ts";
import { compileDependencies } from "./compile-dependencies.ts";
import { compileEventHandlers, compileHandlers } from "./compile-handlers.ts";
import { type CompiledObject, compileObjects } from "./compile-objects.ts";
import {
  compileDatasources,
  compileDowntimes,
  compilePanels,
  compileSinks,
  compileSlos,
  compileViews,
} from "./compile-reporting.ts";
import { compileTimeperiods } from "./compile-timeperiods.ts";
import { PartNames } from "./object-definition.ts";
import { selectorSubjects } from "./selector-subjects.ts";

export type PlanOptions = {
  /** The realm's name, for selectors that ask for `@realm`. */
  readonly realm: string;
  /** IANA name of the machine's zone: what `Local` means. */
  readonly localZone: string;
  /** `demo` takes away whatever runs a program that the document itself may choose. */
  readonly profile?: "demo" | undefined;
};

const demoRefuses = { check: commandCheckTypes, contact: programContactKinds, sink: demoRefusedSinkTypes };

/** What a plan holds beside its objects. */
export type PlanHead = Omit<RealmPlan, "hash" | "objects">;

/** A plan in the making. Nothing of it may be used before `end` has said that it holds. */
export type PlanCompilation = {
  readonly head: PlanHead;
  /** Of the parts of its objects, as far as these were compiled. */
  readonly names: PartNames;
  /** Compiles one after the other, in the plan's order. To be asked for once. */
  objects(): Iterable<CompiledObject>;
  /** Whether nothing was found to be wrong so far. */
  isValid(): boolean;
  /** After the last object: the plan's hash, or all that is wrong. */
  finish(): Result<string, readonly DocumentProblem[]>;
};

/**
 * Compiles an evaluated configuration document. All of its problems are found in one go: a field that is wrong is read
 * as a harmless stand-in, so that the rules between fields and objects are checked all the same. No problem's message
 * quotes a secret.
 */
export function compilePlan(json: unknown, options: PlanOptions): Result<RealmPlan, readonly DocumentProblem[]> {
  const begun = startCompilation(json, options);
  const objects = new Map<string, ObjectPlan>();
  for (const { plan } of begun.objects()) objects.set(plan.ref, plan);
  const hash = begun.finish();
  return hash.ok ? ok({ hash: hash.value, objects, ...begun.head }) : hash;
}

/** The same object by object, for whoever passes them on meanwhile. */
export function startCompilation(json: unknown, options: PlanOptions): PlanCompilation {
  const { document, problems } = parseDocument(documentShape, json, options.profile === "demo" ? demoRefuses : {});
  if (options.profile === "demo" && document.commands.size > 0)
    problems.push({
      path: ["commands"],
      message: problemMessage(["commands"], "must be empty under the demo profile"),
      at: "value",
    });
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
  const names = new PartNames();
  const digests: string[] = [];
  return {
    head,
    names,
    *objects() {
      for (const object of compileObjects(c, { commands: head.commands, names })) {
        digests.push(object.plan.digest);
        yield object;
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
    availabilityRangeMs: c.document.ui.availability?.range,
  };
}

const mapsAsLists = (_key: string, value: unknown): unknown => (value instanceof Map ? [...value] : value);
