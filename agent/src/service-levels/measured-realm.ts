import type { PresentState } from "@realmwatch/shared/availability/object-records";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import type { MemoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import type { ObjectMetadata, Row } from "@realmwatch/shared/row/row";
import type { RealmReader } from "../realm/state/realm-reader.ts";

/** Realm whose availability is measured. */
export type MeasuredRealm = {
  readonly name: string;
  readonly plan: Pick<RealmPlan, "slos" | "timeperiods">;
  objects(): Iterable<ObjectMetadata>;
  /** State of an object now; of one that does not exist, that of an object that was never checked. */
  presentState(ref: string): PresentState;
};

const presentStateOf = (
  state: (Pick<Row, "lastHardStatus" | "lastHardChangeAtMs"> & { readonly downtimes: readonly Downtime[] }) | undefined,
): PresentState => {
  if (state === undefined)
    return { lastHardStatus: "pending", lastHardChangeAtMs: undefined, downtimeSinceMs: undefined };
  const { lastHardStatus, lastHardChangeAtMs, downtimes } = state;
  const starts = downtimes.flatMap(({ inEffect, startMs }) => (inEffect ? [startMs] : []));
  return {
    ...{ lastHardStatus, lastHardChangeAtMs },
    downtimeSinceMs: starts.length === 0 ? undefined : Math.min(...starts),
  };
};

/** The realm of an engine as one that is measured. */
export const measuredEngine = (realm: Pick<RealmReader, "name" | "plan" | "records">): MeasuredRealm => ({
  name: realm.name,
  get plan() {
    return realm.plan;
  },
  *objects() {
    for (const { about } of realm.plan.objects.values()) yield about;
  },
  presentState: (ref) => presentStateOf(realm.records.get(ref)?.state),
});

/** The rows of an agent's read model as a realm that is measured. */
export const measuredRows = (
  name: string,
  model: Pick<MemoryReadModel, "rows" | "row">,
  plan: () => MeasuredRealm["plan"],
): MeasuredRealm => ({
  name,
  get plan() {
    return plan();
  },
  *objects() {
    for (const { about } of model.rows("")) yield about;
  },
  presentState: (ref) => presentStateOf(model.row("", ref)),
});
