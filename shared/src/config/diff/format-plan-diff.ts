import { objectKinds } from "../../model/object-key.ts";
import { counted } from "../../view/plural.ts";
import type { ObjectPlan } from "../plan.ts";
import { entryNoun } from "../section-noun.ts";
import type { PlanDiff } from "./diff-plans.ts";

/**
 * Formats a difference: one line for objects (`+3 hosts, -1 service, 2 checks changed`) and, if other sections changed,
 * one line for these.
 */
export function formatPlanDiff(diff: PlanDiff): readonly string[] {
  const objects = formatObjects(diff);
  const sections = formatSections(diff);
  return [objects.length === 0 ? "no object changed" : objects.join(", "), ...(sections === "" ? [] : [sections])];
}

function formatObjects({ added, removed, changed }: PlanDiff): readonly string[] {
  const checks = changed.filter(({ checkChanged }) => checkChanged).length;
  const others = changed.length - checks;
  return [
    ...countKinds(added, "+"),
    ...formatObjectChanges(removed, checks),
    ...(others === 0 ? [] : [`${counted(others, "object")} changed beside the check`]),
  ];
}

/** Formats removed objects and the number of changed checks, for callers that know only these. */
export const formatObjectChanges = (removed: readonly ObjectPlan[], checks: number): readonly string[] => [
  ...countKinds(removed, "-"),
  ...(checks === 0 ? [] : [`${counted(checks, "check")} changed`]),
];

const countKinds = (objects: readonly ObjectPlan[], sign: string): readonly string[] =>
  objectKinds.flatMap((kind) => {
    const count = objects.filter(({ key }) => key.kind === kind).length;
    return count === 0 ? [] : [`${sign}${counted(count, kind)}`];
  });

const formatSections = ({ sections }: PlanDiff): string =>
  [...sections]
    .flatMap(([name, { added, removed, changed }]) => {
      const noun = entryNoun(name);
      return [
        ...(added.length === 0 ? [] : [`+${counted(added.length, noun)}`]),
        ...(removed.length === 0 ? [] : [`-${counted(removed.length, noun)}`]),
        ...(changed.length === 0 ? [] : [`${counted(changed.length, noun)} changed`]),
      ];
    })
    .join(", ");
