import { type HostKey, refOf, type ServiceKey } from "../../model/object-key.ts";
import type { Labels } from "../../model/row.ts";
import { blankMetadata } from "../../row/metadata-fields.ts";
import type { ObjectMetadata } from "../../row/row.ts";
import { hashText } from "../../text/hash.ts";
import type { FlapPlan, SchedulePlan } from "../check-spec.ts";
import type { HostPlan, ProcessPlan, ServicePlan } from "../plan.ts";
import type { HostDocument } from "../schema/host.ts";

/** Definition that hosts and services share. */
export type CheckedDefinition = Pick<
  HostPlan,
  "policy" | "handler" | "handlerEnabled" | "vars" | "flap" | "schedule" | "check"
> &
  Pick<ObjectMetadata, "zone" | "labels"> & {
    /** Period of the notification policy. */
    readonly notificationPeriod: string;
  };
/** `parents`: without repetitions. */
type HostDefinition = { readonly name: string; readonly host: HostDocument; readonly parents: readonly string[] };
type ServiceDefinition = { readonly host: string; readonly name: string };
export type ProcessDefinition = Omit<ProcessPlan, "digest">;

/** Links of a host that other objects define: names of its children and references of its services. */
type HostLinks = Pick<HostPlan, "children" | "services">;

// Both builders list all properties: an object literal takes less time and memory than a spread of another object.
export function buildHostPlan(
  { name, host: { address }, parents }: HostDefinition,
  { labels, zone, notificationPeriod, policy, flap, check, schedule, handler, handlerEnabled, vars }: CheckedDefinition,
  { links: { children, services }, digest }: { readonly links: HostLinks; readonly digest: string },
): HostPlan {
  const key: HostKey = { kind: "host", name };
  const { type: checkType } = check;
  const { checkPeriod } = schedule;
  const about: ObjectMetadata = {
    ...{ key, labels, parents, dependsOn: [], rule: "" },
    ...{ zone, checkType, checkPeriod, notificationPeriod },
  };
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
  const about = { ...blankMetadata, key, labels, zone, checkType, checkPeriod, notificationPeriod };
  const ref = refOf(key);
  return { ref, key, about, policy, flap, check, schedule, handler, handlerEnabled, vars, host, digest };
}

const hashOfJson = (part: SharedPart): string => hashText(JSON.stringify(part));

/** Part of a definition that many objects share. */
type SharedPart = Labels | FlapPlan | SchedulePlan;

/** Computes hashes of parts. Caches them by identity, because objects share parts. */
export class PartHashes {
  readonly #hashes = new Map<SharedPart, string>();

  hashOf(part: SharedPart): string {
    return this.#hashes.getOrInsertComputed(part, hashOfJson);
  }
}

// Digests are computed from these texts. Equal definitions have equal texts, in every release.
export const hostDefinitionText = (
  { name, host, parents }: HostDefinition,
  checked: CheckedDefinition,
  hashes: PartHashes,
): string => JSON.stringify(["host", name, host.address, parents, checkedDefinition(checked, hashes)]);
export const serviceDefinitionText = (
  service: ServiceDefinition,
  checked: CheckedDefinition,
  hashes: PartHashes,
): string => JSON.stringify(["service", service.host, service.name, checkedDefinition(checked, hashes)]);
export const processDefinitionText = (process: ProcessDefinition): string => JSON.stringify(process);

function checkedDefinition(checked: CheckedDefinition, hashes: PartHashes): readonly unknown[] {
  const { zone, notificationPeriod, policy, handler, handlerEnabled, labels, vars, flap, schedule, check } = checked;
  const parts = [labels, vars, flap, schedule].map((part) => hashes.hashOf(part));
  return [zone, notificationPeriod, policy, handler, handlerEnabled, ...parts, check];
}
