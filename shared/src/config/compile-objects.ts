import { hashText } from "../text/hash.ts";
import { type HostKey, type ProcessKey, refOf, type ServiceKey } from "../words/object-key.ts";
import type { ObjectAbout } from "../words/row.ts";
import type { CheckSpec, FlapPlan, SchedulePlan } from "./check-spec.ts";
import { checkSpecOf, flapPlanOf, scheduleOf } from "./check-spec-of.ts";
import { compileRule } from "./compile-rule.ts";
import { type Compiling, nearest, need, type Path, report, reportCycles } from "./compiling.ts";
import { type Edge, findCycles } from "./cycles.ts";
import type { HostDocument, ProcessDocument, ServiceDocument } from "./host-document.ts";
import type { CommandTemplate, HostPlan, ObjectPlan, ProcessPlan, ServicePlan } from "./plan.ts";
import { serviceLabels, serviceZone } from "./subjects.ts";

type Commands = Readonly<Record<string, CommandTemplate>>;

/** Compiles every object: hosts, then services, then processes, each in the document's order. */
export function compileObjects(c: Compiling, commands: Commands): ReadonlyMap<string, ObjectPlan> {
  const objects = new Map<string, ObjectPlan>();
  const add = (plan: ObjectPlan): void => void objects.set(plan.ref, plan);
  const children = childrenOf(c);
  for (const [name, host] of c.document.hosts) add(hostPlan(name, host, { c, commands, children }));
  for (const [name, host] of c.document.hosts)
    for (const [service, about] of host.services)
      add(servicePlan({ kind: "service", host: name, name: service }, host, about, { c, commands }));
  const reads = new Map<string, readonly Edge[]>();
  for (const [name, process] of c.document.processes) {
    const compiled = processPlan(name, process, c);
    add(compiled.plan);
    reads.set(compiled.plan.ref, compiled.reads);
  }
  reportCycles(c, findCycles(reads));
  return objects;
}

/** The names of each host's children; reports parents that do not exist and cycles among them. */
function childrenOf(c: Compiling): ReadonlyMap<string, readonly string[]> {
  const edges = new Map<string, Edge[]>();
  const children = new Map<string, string[]>();
  for (const [name, { parents }] of c.document.hosts) {
    edges.set(
      name,
      parents.map((to, i) => ({ to, path: ["hosts", name, "parents", i] })),
    );
    for (const [i, parent] of parents.entries()) {
      if (!c.document.hosts.has(parent)) reportParent(c, parent, ["hosts", name, "parents", i]);
      const siblings = children.get(parent);
      if (siblings === undefined) children.set(parent, [name]);
      else siblings.push(name);
    }
  }
  reportCycles(c, findCycles(edges));
  return children;
}

function reportParent(c: Compiling, parent: string, path: Path): void {
  const known = nearest(parent, c.document.hosts.keys());
  report(c, path, `names the host ${JSON.stringify(parent)}, which is not declared${known}`);
}

type CheckedParts = {
  readonly policy: string;
  readonly flap: FlapPlan;
  readonly check: CheckSpec;
  readonly schedule: SchedulePlan;
  readonly handler: string;
  readonly handlerEnabled: boolean;
  readonly vars: Readonly<Record<string, string>>;
};

/** What hosts and services have in common. */
function checkedParts(document: HostDocument | ServiceDocument, path: Path, c: Compiling): CheckedParts {
  const { check, notification: policy, handler, handler_enabled: handlerEnabled, vars } = document;
  need(c, "notifications", policy, [...path, "notification"]);
  need(c, "handlers", handler, [...path, "handler"]);
  const at = [...path, "check"];
  // An undefined check was reported when it was read: the plan is never handed out, any check will do.
  if (check === undefined) return { ...standIn, policy, handler, handlerEnabled, vars };
  return {
    policy,
    flap: flapPlanOf(check.flap, [...at, "flap"], c),
    check: checkSpecOf(check, at, c),
    schedule: scheduleOf(check, at, c),
    handler,
    handlerEnabled,
    vars,
  };
}

const standIn = {
  flap: { enabled: true, alpha: 1, highThreshold: 1, lowThreshold: 0, notifyOnFlapStop: false },
  check: { type: "icmp", host: "" },
  schedule: { checkIntervalMs: 1, retryIntervalMs: 1, timeoutMs: 1, maxAttempts: 1, checkPeriod: "" },
} as const satisfies Partial<CheckedParts>;

type About = Omit<ObjectAbout, "notificationPeriod" | "checkPeriod" | "checkType">;

function aboutChecked(about: About, { policy, check, schedule }: CheckedParts, c: Compiling): ObjectAbout {
  const notificationPeriod = c.document.notifications.get(policy)?.period ?? "";
  return { ...about, checkType: check.type, checkPeriod: schedule.checkPeriod, notificationPeriod };
}

/**
 * Equal exactly where the compiled definition is: the plan itself, and the line behind a check of type `command`. What
 * others say of the object (its children, its services) is not its definition.
 */
function digestOf(plan: object, check: CheckSpec | undefined, commands: Commands): string {
  const line = check?.type === "command" ? commands[check.command] : undefined;
  return hashText(JSON.stringify([plan, line]));
}

type HostContext = {
  readonly c: Compiling;
  readonly commands: Commands;
  readonly children: ReadonlyMap<string, readonly string[]>;
};

function hostPlan(name: string, host: HostDocument, { c, commands, children }: HostContext): HostPlan {
  const key: HostKey = { kind: "host", name };
  const parts = checkedParts(host, ["hosts", name], c);
  const parents = [...new Set(host.parents)];
  const { labels, zone, address } = host;
  const about = aboutChecked({ key, labels, parents, rule: "", zone }, parts, c);
  const defined = { ref: refOf(key), key, about, ...parts, address, parents };
  return {
    ...defined,
    children: [...new Set(children.get(name))],
    services: [...host.services.keys()].map((service) => refOf({ kind: "service", host: name, name: service })),
    digest: digestOf(defined, parts.check, commands),
  };
}

function servicePlan(
  key: ServiceKey,
  host: HostDocument,
  service: ServiceDocument,
  { c, commands }: { readonly c: Compiling; readonly commands: Commands },
): ServicePlan {
  const parts = checkedParts(service, ["hosts", key.host, "services", key.name], c);
  const labels = serviceLabels(host, service);
  const about = aboutChecked({ key, labels, parents: [], rule: "", zone: serviceZone(host, service) }, parts, c);
  const defined = { ref: refOf(key), key, about, ...parts, host: key.host };
  return { ...defined, digest: digestOf(defined, parts.check, commands) };
}

function processPlan(
  name: string,
  process: ProcessDocument,
  c: Compiling,
): { readonly plan: ProcessPlan; readonly reads: readonly Edge[] } {
  const key: ProcessKey = { kind: "process", name };
  const path = ["processes", name];
  need(c, "notifications", process.notification, [...path, "notification"]);
  const { rule, reads } = compileRule(process.rule, [...path, "rule"], c);
  const { labels, vars, notification: policy, states, description } = process;
  const about: ObjectAbout = {
    key,
    labels,
    parents: [],
    checkType: "",
    rule: process.rule === undefined ? "" : JSON.stringify(writtenRule(process.rule)),
    zone: "",
    checkPeriod: "",
    notificationPeriod: c.document.notifications.get(policy)?.period ?? "",
  };
  const defined = {
    ref: refOf(key),
    key,
    about,
    vars,
    policy,
    flap: flapPlanOf(process.flap, [...path, "flap"], c),
    rule,
    inputs: reads.map(({ to }) => to),
    states,
    ignoreDowntime: process.ignore.includes("downtime"),
    ignoreAcknowledged: process.ignore.includes("acknowledged"),
    description,
  };
  return { plan: { ...defined, digest: digestOf(defined, undefined, {}) }, reads };
}

/** The rule in the document's own shape. */
function writtenRule(rule: NonNullable<ProcessDocument["rule"]>): unknown {
  const written = (of: readonly (typeof rule | undefined)[]): unknown[] =>
    of.map((each) => (each === undefined ? null : writtenRule(each)));
  switch (rule.kind) {
    case "ref":
    case "select":
      return { [rule.kind]: rule.text };
    case "at_least":
      return { at_least: { ...rule.needed, of: written(rule.of) } };
    case "not":
      return { not: rule.of === undefined ? null : writtenRule(rule.of) };
    default:
      return { [rule.kind]: written(rule.of) };
  }
}
