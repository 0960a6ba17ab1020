import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ConfigChangesSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { blastRadius, formatBlastRadius } from "@realmwatch/shared/config/diff/blast-radius";
import { diffPlans } from "@realmwatch/shared/config/diff/diff-plans";
import { formatPlanDiff } from "@realmwatch/shared/config/diff/format-plan-diff";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import type { RealmReader } from "../realm/state/realm-reader.ts";

/** Most entries of a list of changes. */
const maxListed = 200;

export type ConfigChanges = MessageInitShape<typeof ConfigChangesSchema>;

/** Effects of replacing the running configuration of a realm by another one. */
export function configChanges(
  { plan, records }: Pick<RealmReader, "plan" | "records">,
  next: RealmPlan,
): ConfigChanges {
  const diff = diffPlans(plan, next);
  return {
    summary: [...formatPlanDiff(diff)],
    added: refsOf(diff.added),
    removed: refsOf(diff.removed),
    changed: refsOf(diff.changed.map(({ after }) => after)),
    sideEffects: formatBlastRadius(blastRadius(diff, (ref) => records.get(ref)?.state)).slice(0, maxListed),
  };
}

const refsOf = (objects: readonly ObjectPlan[]) =>
  objects.slice(0, maxListed).map(({ about }) => objectKeyToProto(about.key));
