import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostPlan, RealmPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { allObjectTogglesOn, allProgramTogglesOn } from "@realmwatch/shared/model/toggles";
import { newState } from "../../engine/state/object-state.ts";
import { realmPlan } from "../fixtures/realm-plan.fixture.ts";
import { newProgramState } from "../state/program-state.ts";
import { RealmState } from "../state/realm-state.ts";
import { handlerCallOf } from "./handler-call.ts";

const common = { about: {}, schedule: { maxAttempts: 3 }, handlerEnabled: true, handler: "" };
const host = {
  ...common,
  ref: "web1",
  key: { kind: "host", name: "web1" },
  address: "::1",
  parents: [],
  children: [],
  services: [],
} as unknown as HostPlan;
const service = {
  ...common,
  ref: "web1!http",
  key: { kind: "service", host: "web1", name: "http" },
  host: "web1",
  handler: "own",
} as unknown as ServicePlan;

type Change = {
  readonly events?: Partial<RealmPlan["eventHandlers"]>;
  readonly service?: Partial<ServicePlan>;
  readonly realmOff?: true;
  readonly objectOff?: true;
};

function namesFor(ref: string, change: Change): readonly string[] {
  const plan = realmPlan([host, { ...service, ...change.service } as ServicePlan]);
  const eventHandlers = { enabled: true, host: "any-host", service: "any-service", ...change.events };
  const toggles = { ...allProgramTogglesOn, eventHandlers: change.realmOff === undefined };
  const realm = new RealmState("fra", { ...plan, eventHandlers }, { ...newProgramState(0), toggles });
  const state = { ...newState(0), toggles: { ...allObjectTogglesOn, eventHandler: change.objectOff === undefined } };
  realm.addObjects(new Map([[ref, state]]), 0);
  const record = realm.records.get(ref);
  return record === undefined ? [] : (handlerCallOf(realm, record, 0)?.names ?? []);
}

const rows: readonly [rule: string, ref: string, change: Change, names: readonly string[]][] = [
  ["[EH2] the realm-wide handler runs first, then that of the object", "web1!http", {}, ["any-service", "own"]],
  ["[EH2] a host has the realm-wide handler for hosts", "web1", {}, ["any-host"]],
  [
    "[EH2] without a realm-wide handler only that of the object runs",
    "web1!http",
    { events: { service: "" } },
    ["own"],
  ],
  ["[EH3] `event_handlers.enabled: false` turns off all handlers", "web1!http", { events: { enabled: false } }, []],
  [
    "[EH3] `handler_enabled: false` turns off the realm-wide handler of an object too",
    "web1!http",
    { service: { handlerEnabled: false } },
    [],
  ],
  ["[EH3] the object's toggle turns off its handlers", "web1!http", { objectOff: true }, []],
  ["[EH3] the realm's toggle turns off all handlers", "web1!http", { realmOff: true }, []],
];
for (const [rule, ref, change, names] of rows) test(rule, () => assert.deepEqual(namesFor(ref, change), names));
