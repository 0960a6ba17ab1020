import { create } from "@bufbuild/protobuf";
import { type RealmObjects, RealmObjectsSchema } from "@realmwatch/proto/svc/v1/realm_pb";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import type { Selector } from "@realmwatch/shared/text/selector/selector";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";

/** Maximum number of objects of all realms. */
const maxSelected = 100_000;

/**
 * Selects objects by the rows that the aggregator holds, in the order of the realms' names. `unavailable`: the rows may be
 * incomplete; `exhausted`: more objects match than one call may have.
 */
export async function selectRealms(
  model: Pick<ReadModel, "objects">,
  selector: Selector,
): Promise<Result<readonly RealmObjects[], Refusal>> {
  const found = await model.objects({ kinds: [], selector, realm: "", pageSize: 0, pageToken: "" });
  if (!found.ok) return found;
  const { rows } = found.value;
  if (rows.length > maxSelected)
    return fail({
      kind: "exhausted",
      what: `selector: matches ${rows.length} objects; a command takes at most ${maxSelected}: narrow the selector`,
    });
  const byRealm = Map.groupBy(rows, ({ realm }) => realm);
  const realms = [...byRealm].sort(([a], [b]) => (a < b ? -1 : 1));
  return ok(
    realms.map(([realm, own]) =>
      create(RealmObjectsSchema, { realm, objects: own.map(({ about }) => objectKeyToProto(about.key)) }),
    ),
  );
}
