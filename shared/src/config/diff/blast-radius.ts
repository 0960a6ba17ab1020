import { formatKey, type ObjectKey } from "../../model/object-key.ts";
import type { Row } from "../../row/row.ts";
import {
  isCurrentKey,
  matchesSelector,
  parseSelector,
  type Selector,
  type SelectorSubject,
} from "../../text/selector/selector.ts";
import { quoteText } from "../parser/parser.ts";
import type { ObjectPlan, RealmPlan } from "../plan.ts";
import type { PlanDiff } from "./diff-plans.ts";

/** Acknowledgement, downtimes and comments of an object. */
export type Attachments = Pick<Row, "acknowledgement" | "downtimes" | "comments">;

/** Acknowledgement, downtime or comment that is lost when its object is removed. `text` is its comment. */
type LostAttachment = {
  readonly kind: "acknowledgement" | "downtime" | "comment";
  readonly key: ObjectKey;
  readonly author: string;
  readonly text: string;
};

/** Selection that matched `matched` objects before the change and matches none after it. */
type EmptiedSelection = {
  readonly kind: "view" | "downtime" | "slo" | "dependency" | "sink" | "panel";
  readonly name: string;
  readonly matched: number;
};

/** Side effects of a configuration change. */
export type BlastRadius = { readonly losses: readonly LostAttachment[]; readonly emptied: readonly EmptiedSelection[] };

/**
 * Computes the side effects of a configuration change.
 *
 * @param stateOf returns the attachments of an object by its reference; undefined when it has none
 */
export function blastRadius(diff: PlanDiff, stateOf: (ref: string) => Attachments | undefined): BlastRadius {
  const losses = diff.removed.flatMap(({ ref, key }) => {
    const attached = stateOf(ref);
    return attached === undefined ? [] : lossesOf(key, attached);
  });
  const now = selectionsOf(diff.after);
  const emptied = selectionsOf(diff.before).flatMap(({ kind, name, matched }) => {
    const after = now.find((each) => each.kind === kind && each.name === name);
    return matched > 0 && after?.matched === 0 ? [{ kind, name, matched }] : [];
  });
  return { losses, emptied };
}

/** Lists lost attachments. Recurring downtimes are not lost, because they are configuration. */
const lossesOf = (key: ObjectKey, { acknowledgement, downtimes, comments }: Attachments): readonly LostAttachment[] => [
  ...(acknowledgement === undefined
    ? []
    : [{ kind: "acknowledgement", key, author: acknowledgement.author, text: acknowledgement.comment } as const]),
  ...downtimes
    .filter(({ shape }) => shape.kind !== "recurring")
    .map(({ author, comment }) => ({ kind: "downtime", key, author, text: comment }) as const),
  ...comments.map(({ author, text }) => ({ kind: "comment", key, author, text }) as const),
];

/** All selections with the number of matching objects. Empty selectors are omitted, because they match all objects. */
function selectionsOf(plan: RealmPlan): readonly EmptiedSelection[] {
  const subjects = [...plan.objects.values()].map(subjectOf);
  const bySelector =
    (kind: EmptiedSelection["kind"]) =>
    ({ name, selector }: { readonly name: string; readonly selector: string }): EmptiedSelection[] => {
      const parsed = selector === "" ? undefined : parseSelector(selector);
      if (parsed?.ok !== true) return [];
      const lasting = staticPart(parsed.value);
      return [{ kind, name, matched: subjects.filter((subject) => matchesSelector(lasting, subject)).length }];
    };
  return [
    ...plan.views.flatMap(bySelector("view")),
    ...plan.recurringDowntimes.map(({ name, refs }) => ({ kind: "downtime", name, matched: refs.length }) as const),
    ...plan.slos.flatMap(bySelector("slo")),
    ...plan.dependencies.map(
      ({ name, dependents }) => ({ kind: "dependency", name, matched: dependents.length }) as const,
    ),
    ...plan.sinks.flatMap(bySelector("sink")),
    ...plan.panels.flatMap(bySelector("panel")),
  ];
}

/** Requirements that depend on the configuration alone: not on the status or the realm. */
const staticPart = ({ requirements }: Selector): Selector => ({
  requirements: requirements.filter(({ key }) => !isCurrentKey(key) && key !== "@realm"),
});

const subjectOf = ({ about: { key, labels, zone, checkType, parents } }: ObjectPlan): SelectorSubject => ({
  key,
  labels,
  zone,
  checkType,
  parents,
  dependsOn: [],
  realm: "",
  status: "pending",
  cause: "",
});

/** Formats one line for each lost attachment and each emptied selection. */
export const formatBlastRadius = ({ losses, emptied }: BlastRadius): readonly string[] => [
  ...losses.map(({ kind, key, author, text }) => {
    const comment = text === "" ? "" : `: ${quoteText(text)}`;
    return `${formatKey(key)} is removed, and with it the ${kind} of ${quoteText(author)}${comment}`;
  }),
  ...emptied.map(({ kind, name, matched }) => {
    const many = matched === 1 ? "the only object it matched" : `all ${matched} objects it matched`;
    return `${kind} ${quoteText(name)} would match no object: ${many} would be removed or changed`;
  }),
];
