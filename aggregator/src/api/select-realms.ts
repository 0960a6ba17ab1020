import type { ObjectRef } from "@realmwatch/proto/svc/v1/common_pb";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { Labels, Row } from "@realmwatch/shared/model/row";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { formatSelector, type Selector } from "@realmwatch/shared/text/selector/selector";
import { overridableRequirements, selectorForRealm } from "./restrict-selector.ts";

/** Realm with objects that a selector matches. */
export type MatchingRealm = {
  readonly name: string;
  /** Number of matching objects by the rows that the aggregator holds. */
  readonly matched: number;
  /** Target for the realm itself. */
  readonly target: RealmTarget;
};

/** Objects in a realm: a selector, or a list. */
export type RealmTarget =
  | { readonly case: "selector"; readonly value: string }
  | { readonly case: "objects"; readonly value: { readonly objects: ObjectRef[] } };

type RealmsModel = Pick<ReadModel, "objects" | "realms">;

/** Finds the realms with a match, in the order of their names. `unavailable`: the rows may be incomplete. */
export async function selectRealms(
  model: RealmsModel,
  selector: Selector,
): Promise<Result<readonly MatchingRealm[], Refusal>> {
  const found = await rowsOf(model, selector, "");
  if (!found.ok) return found;
  const realms = await model.realms();
  if (!realms.ok) return realms;
  const matching: MatchingRealm[] = [];
  const byRealm = Map.groupBy(found.value, ({ realm }) => realm);
  for (const [name, rows] of [...byRealm].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const labels = realms.value.find((realm) => realm.name === name)?.labels ?? {};
    const otherValues = await otherValuesIn(model, selector, { name, labels });
    if (!otherValues.ok) return otherValues;
    const own = selectorForRealm(selector, { name, labels, otherValues: otherValues.value });
    if (own !== undefined)
      matching.push({ name, matched: rows.length, target: { case: "selector", value: formatSelector(own) } });
  }
  return ok(matching);
}

async function otherValuesIn(
  model: RealmsModel,
  selector: Selector,
  { name, labels }: { readonly name: string; readonly labels: Labels },
): Promise<Result<ReadonlyMap<string, ReadonlySet<string>>, Refusal>> {
  const others = new Map<string, ReadonlySet<string>>();
  for (const { key, values } of overridableRequirements(selector, labels)) {
    const rows = await rowsOf(model, { requirements: [{ kind: "notin", key, values }] }, name);
    if (!rows.ok) return rows;
    others.set(key, new Set(rows.value.flatMap(({ about }) => about.labels[key] ?? [])));
  }
  return ok(others);
}

async function rowsOf(model: RealmsModel, selector: Selector, realm: string): Promise<Result<readonly Row[], Refusal>> {
  const answer = await model.objects({ kinds: [], selector, realm, pageSize: 0, pageToken: "" });
  return answer.ok ? ok(answer.value.rows) : fail(answer.error);
}
