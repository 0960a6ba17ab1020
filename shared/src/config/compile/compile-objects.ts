import { type ProcessKey, refOf } from "../../model/object-key.ts";
import type { Labels } from "../../model/row.ts";
import { blankMetadata } from "../../row/metadata-fields.ts";
import type { ObjectMetadata } from "../../row/row.ts";
import type { CommandTemplate } from "../../text/command/prepare-command.ts";
import type { DocumentPath } from "../../text/document-path.ts";
import { hashText } from "../../text/hash.ts";
import type { FlapPlan, SchedulePlan } from "../check-spec.ts";
import { type CompiledObjects, ObjectIdentities } from "../object-identities.ts";
import type { ObjectPlan, ProcessPlan } from "../plan.ts";
import { CheckedHost, type HostDocument } from "../schema/host.ts";
import type { ProcessDocument } from "../schema/process.ts";
import type { ServiceDocument } from "../schema/service.ts";
import { compileCheck, compileFlap, compileSchedule } from "./compile-check.ts";
import {
  type CompileContext,
  limitLabels,
  nearestHint,
  reportCycles,
  reportProblem,
  requireDeclared,
} from "./compile-context.ts";
import { compileRule } from "./compile-rule.ts";
import { compileSloProcess } from "./compile-slo-process.ts";
import type { Edge } from "./cycles.ts";
import {
  buildHostPlan,
  buildServicePlan,
  type CheckedDefinition,
  hostDefinitionText,
  PartHashes,
  type ProcessDefinition,
  processDefinitionText,
  serviceDefinitionText,
} from "./object-definition.ts";
import { serviceLabels, serviceZone } from "./selector-subjects.ts";

/** Inputs of the compilation of objects besides their documents. */
type ObjectInputs = {
  readonly commands: Readonly<Record<string, CommandTemplate>>;
  /** Masters of objects by their references; an object without masters is left out. */
  readonly masters: ReadonlyMap<string, readonly string[]>;
};

/**
 * Compiles all objects: hosts, then services, then processes, each in document order. Those of a host that was checked
 * before are the same as then, because all else that they use must be.
 */
export function* compileObjects(c: CompileContext, { commands, masters }: ObjectInputs): Generator<CompiledObjects> {
  const context: ObjectContext = { c, commands, hashes: new PartHashes(), flaps: [], schedules: [] };
  const identities = new ObjectIdentities();
  const children = childrenOf(c);
  for (const [name, host] of c.document.hosts) {
    const own = children.get(name);
    const links = { dependsOn: masters.get(name) ?? none, children: own === undefined ? none : [...new Set(own)] };
    if (host instanceof CheckedHost) yield identities.kept(host.index, host.identity, links);
    else yield identities.compiled(withMasters(compileHost(name, host, links.children, context), masters), links);
  }
  const hostsOfDependents = new Set(masters.keys().map((ref) => ref.slice(0, Math.max(0, ref.indexOf("!")))));
  for (const [name, host] of c.document.hosts) {
    if (host instanceof CheckedHost && !host.hasLinkedServices && !hostsOfDependents.has(name)) {
      yield { kind: "kept", index: host.firstService, identities: host.serviceIdentities };
      continue;
    }
    let position = 0;
    for (const service of host.services.keys()) {
      const links = { dependsOn: masters.get(refOf({ kind: "service", host: name, name: service })) ?? none };
      if (host instanceof CheckedHost)
        yield identities.kept(host.firstService + position, host.serviceIdentities[position] as string, links);
      else yield identities.compiled(withMasters(compileService({ name, host }, service, context), masters), links);
      position += 1;
    }
  }
  for (const plan of compileProcesses(c))
    yield identities.compiled(withMasters(plan, masters), { dependsOn: masters.get(plan.ref) ?? none });
}

const none: readonly string[] = [];

/** Object with the masters that dependencies give it. */
function withMasters(object: ObjectPlan, masters: ObjectInputs["masters"]): ObjectPlan {
  const dependsOn = masters.get(object.ref);
  return dependsOn === undefined ? object : { ...object, about: { ...object.about, dependsOn } };
}

function* compileProcesses(c: CompileContext): Generator<ProcessPlan> {
  const reads = new Map<string, readonly Edge[]>();
  for (const [name, process] of c.document.processes) {
    const compiled = compileProcess(name, process, c);
    yield compiled.plan;
    reads.set(compiled.plan.ref, compiled.reads);
  }
  reportCycles(c, reads);
  for (const [name, { notification }] of c.document.slos)
    if (notification !== "")
      yield compileSloProcess(name, {
        policy: notification,
        notificationPeriod: c.document.notifications.get(notification)?.period ?? "",
      });
}

/** Names of each host's children. Reports parents that do not exist and cycles of parents. */
function childrenOf(c: CompileContext): ReadonlyMap<string, readonly string[]> {
  const edges = new Map<string, Edge[]>();
  const children = new Map<string, string[]>();
  for (const [name, { parents }] of c.document.hosts) {
    edges.set(
      name,
      parents.map((to, i) => ({ to, path: ["hosts", name, "parents", i] })),
    );
    for (const [i, parent] of parents.entries()) {
      if (!c.document.hosts.has(parent)) reportParent(c, parent, ["hosts", name, "parents", i]);
      children.getOrInsertComputed(parent, () => []).push(name);
    }
  }
  reportCycles(c, edges);
  return children;
}

function reportParent(c: CompileContext, parent: string, path: DocumentPath): void {
  const known = nearestHint(parent, c.document.hosts.keys());
  reportProblem(c, path, `names the host ${JSON.stringify(parent)}, which is not declared${known}`);
}

/** Compiles the fields that hosts and services share. */
function checkedParts(
  document: HostDocument | ServiceDocument,
  { path, labels, zone }: { readonly path: DocumentPath; readonly labels: Labels; readonly zone: string },
  { c, flaps, schedules }: ObjectContext,
): CheckedDefinition {
  const { check, notification: policy, handler, handler_enabled: handlerEnabled, vars } = document;
  requireDeclared(c, "notifications", policy, [...path, "notification"]);
  requireDeclared(c, "handlers", handler, [...path, "handler"]);
  const notificationPeriod = c.document.notifications.get(policy)?.period ?? "";
  const at = [...path, "check"];
  // An undefined check has been reported. The plan will be rejected, so any check serves as a fallback.
  if (check === undefined)
    return { zone, notificationPeriod, policy, handler, handlerEnabled, labels, vars, ...fallbackParts };
  const flap = shareEqual(compileFlap(check.flap, [...at, "flap"], c), flaps);
  const schedule = shareEqual(compileSchedule(check, at, c), schedules);
  const spec = compileCheck(check, at, c);
  return { zone, notificationPeriod, policy, handler, handlerEnabled, labels, vars, flap, schedule, check: spec };
}

/** Maximum number of shared parts. Documents with more different parts rarely contain equal ones. */
const maxShared = 50;

/** Returns an earlier equal part, or else the part itself. Shared parts save memory and are hashed once. */
function shareEqual<T extends FlapPlan | SchedulePlan>(part: T, known: T[]): T {
  for (const held of known) if (areEqualParts(held, part)) return held;
  if (known.length < maxShared) known.push(part);
  return part;
}

/** True when all fields are equal. The parts contain no nested objects. */
function areEqualParts<T extends FlapPlan | SchedulePlan>(one: T, other: T): boolean {
  for (const name in one) if (one[name] !== other[name]) return false;
  return true;
}

const fallbackParts = {
  flap: { enabled: true, alpha: 1, highThreshold: 1, lowThreshold: 0, notifyOnFlapStop: false },
  check: { type: "icmp", host: "" },
  schedule: { checkIntervalMs: 1, retryIntervalMs: 1, timeoutMs: 1, maxAttempts: 1, checkPeriod: "" },
} as const satisfies Partial<CheckedDefinition>;

/** State of compiling objects, with the parts that later objects may share. */
type ObjectContext = {
  readonly c: CompileContext;
  readonly commands: Readonly<Record<string, CommandTemplate>>;
  readonly hashes: PartHashes;
  readonly flaps: FlapPlan[];
  readonly schedules: SchedulePlan[];
};

/** Digest of an object. Includes the command line of a `command` check, but not children and services. */
function digestOf(definition: string, { check }: CheckedDefinition, { commands }: ObjectContext): string {
  const line = check.type === "command" ? JSON.stringify(commands[check.command]) : "";
  return hashText(definition + line);
}

function compileHost(
  name: string,
  host: HostDocument,
  children: readonly string[],
  context: ObjectContext,
): ObjectPlan {
  const { labels, zone } = host;
  limitLabels(context.c, ["hosts", name], labels);
  const checked = checkedParts(host, { path: ["hosts", name], labels, zone }, context);
  const own = { name, host, parents: [...new Set(host.parents)] };
  const services = [...host.services.keys()].map((service) => refOf({ kind: "service", host: name, name: service }));
  const digest = digestOf(hostDefinitionText(own, checked, context.hashes), checked, context);
  return buildHostPlan(own, checked, { links: { children, services }, digest });
}

function compileService(
  { name: host, host: parent }: { readonly name: string; readonly host: HostDocument },
  name: string,
  context: ObjectContext,
): ObjectPlan {
  const service = parent.services.get(name) as ServiceDocument;
  const labels = serviceLabels(parent, service);
  const path = ["hosts", host, "services", name];
  // Labels of the host alone are reported there.
  if (labels !== parent.labels) limitLabels(context.c, path, labels);
  const checked = checkedParts(service, { path, labels, zone: serviceZone(parent, service) }, context);
  const own = { host, name };
  const digest = digestOf(serviceDefinitionText(own, checked, context.hashes), checked, context);
  return buildServicePlan(own, checked, digest);
}

function compileProcess(
  name: string,
  process: ProcessDocument,
  c: CompileContext,
): { readonly plan: ProcessPlan; readonly reads: readonly Edge[] } {
  const key: ProcessKey = { kind: "process", name };
  const path = ["processes", name];
  requireDeclared(c, "notifications", process.notification, [...path, "notification"]);
  const { rule, reads } = compileRule(process.rule, [...path, "rule"], c);
  const { labels, vars, notification: policy, states, description } = process;
  limitLabels(c, path, labels);
  const about: ObjectMetadata = {
    ...blankMetadata,
    key,
    labels,
    rule: process.rule === undefined ? "" : processRuleText(process, process.rule),
    notificationPeriod: c.document.notifications.get(policy)?.period ?? "",
  };
  const own: ProcessDefinition = {
    ref: refOf(key),
    key,
    about,
    vars,
    policy,
    flap: compileFlap(process.flap, [...path, "flap"], c),
    rule,
    inputs: reads.map(({ to }) => to),
    states,
    ignoreDowntime: process.ignore.includes("downtime"),
    ignoreAcknowledged: process.ignore.includes("acknowledged"),
    description,
  };
  return { plan: { ...own, digest: hashText(processDefinitionText(own)) }, reads };
}

/** JSON of a rule, with the settings of its process that are not the defaults. */
function processRuleText({ states, ignore }: ProcessDocument, rule: NonNullable<ProcessDocument["rule"]>): string {
  return JSON.stringify({
    ...toDocumentRule(rule),
    ...(states === "hard" ? {} : { states }),
    ...(ignore.length === 0 ? {} : { ignore }),
  });
}

/** Converts a rule back to the form that the document uses. */
function toDocumentRule(rule: NonNullable<ProcessDocument["rule"]>): object {
  const toDocumentRules = (rules: readonly (typeof rule | undefined)[]): unknown[] =>
    rules.map((each) => (each === undefined ? null : toDocumentRule(each)));
  switch (rule.kind) {
    case "ref":
    case "select":
      return { [rule.kind]: rule.text };
    case "at_least":
      return { at_least: { ...rule.needed, of: toDocumentRules(rule.of) } };
    case "not":
      return { not: rule.of === undefined ? null : toDocumentRule(rule.of) };
    default:
      return { [rule.kind]: toDocumentRules(rule.of) };
  }
}
