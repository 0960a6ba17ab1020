import { type HostKey, refOf, type ServiceKey } from "../../model/object-key.ts";
import type { Labels } from "../../model/row.ts";
import { hashText } from "../../text/hash.ts";
import type { CheckSpec } from "../check-kinds/check-kinds.ts";
import type { FlapPlan, SchedulePlan } from "../check-spec.ts";
import type { HostPlan, ObjectPlan, ProcessPlan, ServicePlan } from "../plan.ts";

/** What defines hosts and services alike. */
export type CheckedDefinition = {
  readonly zone: string;
  /** Of the policy. */
  readonly notificationPeriod: string;
  readonly policy: string;
  readonly handler: string;
  readonly handlerEnabled: boolean;
  readonly labels: Labels;
  readonly vars: ObjectPlan["vars"];
  readonly flap: FlapPlan;
  readonly schedule: SchedulePlan;
  readonly check: CheckSpec;
};
export type HostDefinition = Pick<HostPlan, "address" | "parents"> & { readonly name: string };
export type ServiceDefinition = { readonly host: string; readonly name: string };
export type ProcessDefinition = Omit<ProcessPlan, "digest">;

/** What others say of a host: the names of its children, the references of its services. */
export type HostLinks = Pick<HostPlan, "children" | "services">;

const none: readonly string[] = Object.freeze([]);

// Written out twice: there are many of them, and an object made of another one takes longer and is larger.
export function buildHostPlan(
  { name, address, parents }: HostDefinition,
  { labels, zone, notificationPeriod, policy, flap, check, schedule, handler, handlerEnabled, vars }: CheckedDefinition,
  { links: { children, services }, digest }: { readonly links: HostLinks; readonly digest: string },
): HostPlan {
  const key: HostKey = { kind: "host", name };
  const { type: checkType } = check;
  const { checkPeriod } = schedule;
  const about = { key, labels, parents, rule: "", zone, checkType, checkPeriod, notificationPeriod };
  const ref = name;
  return {
    ref,
    key,
    about,
    policy,
    flap,
    check,
    schedule,
    handler,
    handlerEnabled,
    vars,
    address,
    parents,
    children,
    services,
    digest,
  };
}

export function buildServicePlan(
  { host, name }: ServiceDefinition,
  { labels, zone, notificationPeriod, policy, flap, check, schedule, handler, handlerEnabled, vars }: CheckedDefinition,
  digest: string,
): ServicePlan {
  const key: ServiceKey = { kind: "service", host, name };
  const { type: checkType } = check;
  const { checkPeriod } = schedule;
  const about = { key, labels, parents: none, rule: "", zone, checkType, checkPeriod, notificationPeriod };
  const ref = refOf(key);
  return { ref, key, about, policy, flap, check, schedule, handler, handlerEnabled, vars, host, digest };
}

/** What many objects have alike: told once, then by name. */
type Part = Labels | FlapPlan | SchedulePlan;

type EncodedChecked = readonly [
  ...[zone: string, notificationPeriod: string, policy: string, handler: string, handlerEnabled: boolean],
  ...[labels: string, vars: string, flap: string, schedule: string, check: CheckSpec],
];
/** A definition as JSON, parts by their names. A process is as it is. */
export type EncodedDefinition =
  | readonly ["host", name: string, address: string, parents: readonly string[], EncodedChecked]
  | readonly ["service", host: string, name: string, EncodedChecked]
  | ProcessDefinition;

/** Names parts by what they hold: equal ones have one name, in every document. */
export class PartNames {
  readonly #names = new Map<Part, string>();
  readonly #named = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #hash: (text: string) => string;
  #fresh: [name: string, part: Part][] = [];

  /** @param hash of a part's text; default: `hashText` */
  constructor(hash = hashText) {
    this.#hash = hash;
  }

  nameOf(part: Part): string {
    const known = this.#names.get(part);
    if (known !== undefined) return known;
    const text = JSON.stringify(part);
    const name = this.#named.get(text) ?? this.#nameNew(part, text);
    this.#names.set(part, name);
    return name;
  }

  #nameNew(part: Part, text: string): string {
    let name = this.#hash(text);
    // Parts that are different must not be mixed up, however unlikely it is that their hashes are the same.
    while (this.#taken.has(name)) name += "+";
    this.#taken.add(name);
    this.#named.set(text, name);
    this.#fresh.push([name, part]);
    return name;
  }

  /** Those that got their names since the last call. */
  takeFresh(): readonly (readonly [name: string, part: Part])[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}

/** The texts of definitions, JSON of `Written`: equal exactly where the definitions are. */
export const encodeHost = (host: HostDefinition, checked: CheckedDefinition, names: PartNames): string =>
  JSON.stringify([
    "host",
    host.name,
    host.address,
    host.parents,
    encodeChecked(checked, names),
  ] satisfies EncodedDefinition);
export const encodeService = (service: ServiceDefinition, checked: CheckedDefinition, names: PartNames): string =>
  JSON.stringify(["service", service.host, service.name, encodeChecked(checked, names)] satisfies EncodedDefinition);
export const encodeProcess = (process: ProcessDefinition): string =>
  JSON.stringify(process satisfies EncodedDefinition);

function encodeChecked(checked: CheckedDefinition, names: PartNames): EncodedChecked {
  const { zone, notificationPeriod, policy, handler, handlerEnabled, check } = checked;
  const labels = names.nameOf(checked.labels);
  const vars = names.nameOf(checked.vars);
  const flap = names.nameOf(checked.flap);
  const schedule = names.nameOf(checked.schedule);
  return [zone, notificationPeriod, policy, handler, handlerEnabled, labels, vars, flap, schedule, check];
}

/** What has to be known beside a written definition. */
type Beside = {
  readonly parts: ReadonlyMap<string, object>;
  /** Of a host. */
  readonly links: HostLinks;
  readonly digest: string;
};

/** Reads what was written; the names in it are among `parts`. */
export function decodeDefinition(written: EncodedDefinition, { parts, links, digest }: Beside): ObjectPlan {
  if (!isTuple(written)) return { ...written, digest };
  if (written[0] === "host")
    return buildHostPlan(
      { name: written[1], address: written[2], parents: written[3] },
      decodeChecked(written[4], parts),
      {
        links,
        digest,
      },
    );
  return buildServicePlan({ host: written[1], name: written[2] }, decodeChecked(written[3], parts), digest);
}

const isTuple = (written: EncodedDefinition): written is Exclude<EncodedDefinition, ProcessDefinition> =>
  Array.isArray(written);

const decodeChecked = (written: EncodedChecked, parts: ReadonlyMap<string, object>): CheckedDefinition => ({
  zone: written[0],
  notificationPeriod: written[1],
  policy: written[2],
  handler: written[3],
  handlerEnabled: written[4],
  labels: parts.get(written[5]) as Labels,
  vars: parts.get(written[6]) as Labels,
  flap: parts.get(written[7]) as FlapPlan,
  schedule: parts.get(written[8]) as SchedulePlan,
  check: written[9],
});
