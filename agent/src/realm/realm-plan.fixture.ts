import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";

/** A plan of these objects and nothing else, save what `more` says. */
export const realmPlan = (objects: readonly ObjectPlan[], more: Partial<RealmPlan> = {}): RealmPlan => ({
  hash: "",
  objects: new Map(objects.map((object) => [object.ref, object])),
  resources: {},
  commands: {},
  contacts: new Map(),
  policies: new Map(),
  timeperiods: new Map(),
  recurringDowntimes: [],
  dependencies: [],
  handlers: new Map(),
  eventHandlers: { enabled: true, host: "", service: "" },
  sinks: [],
  slos: [],
  views: [],
  datasources: [],
  panels: [],
  availabilityRangeMs: undefined,
  ...more,
});
