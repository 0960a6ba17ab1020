import { formatKey, type ObjectKey } from "../../model/object-key.ts";
import type { Row } from "../../model/row.ts";
import { matchesSelector, parseSelector, type Selector, type SelectorSubject } from "../../text/selector/selector.ts";
import { quoteText } from "../parser/parser.ts";
import type { ObjectPlan, RealmPlan } from "../plan.ts";
import type { PlanDiff } from "./diff-plans.ts";

/** What people have attached to an object. */
export type Attachments = Pick<Row, "acknowledgement" | "downtimes" | "comments">;

/** Something that people made and that goes with its object. `text` is what they wrote. */
export type LostAttachment = {
  readonly kind: "acknowledgement" | "downtime" | "comment";
  readonly key: ObjectKey;
  readonly author: string;
  readonly text: string;
};

/** A selection that matched `matched` objects and would match none. */
export type EmptiedSelection = {
  readonly kind: "view" | "downtime" | "slo" | "dependency" | "sink" | "panel";
  readonly name: string;
  readonly matched: number;
};

/** What a change of configuration would destroy without saying so. */
export type BlastRadius = { readonly losses: readonly LostAttachment[]; readonly emptied: readonly EmptiedSelection[] };

/** @param stateOf by an object's reference; undefined where nothing is attached to it */
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

/** Recurring downtimes are configuration: they come and go with it and are no loss. */
const lossesOf = (key: ObjectKey, { acknowledgement, downtimes, comments }: Attachments): readonly LostAttachment[] => [
  ...(acknowledgement === undefined
    ? []
    : [{ kind: "acknowledgement", key, author: acknowledgement.author, text: acknowledgement.comment } as const]),
  ...downtimes
    .filter(({ shape }) => shape.kind !== "recurring")
    .map(({ author, comment }) => ({ kind: "downtime", key, author, text: comment }) as const),
  ...comments.map(({ author, text }) => ({ kind: "comment", key, author, text }) as const),
];

/** Everything that selects, with how many objects it matches. An empty selector means everything and cannot run dry. */
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

/** What a status is, and which realm this is, no change of configuration decides. */
const staticPart = ({ requirements }: Selector): Selector => ({
  requirements: requirements.filter(({ key }) => key !== "@status" && key !== "@realm"),
});

const subjectOf = ({ about: { key, labels, zone, checkType } }: ObjectPlan): SelectorSubject => ({
  key,
  labels,
  zone,
  checkType,
  realm: "",
  status: "pending",
});

/** A line for each thing that would go or run dry. */
export const formatBlastRadius = ({ losses, emptied }: BlastRadius): readonly string[] => [
  ...losses.map(({ kind, key, author, text }) => {
    const said = text === "" ? "" : `: ${quoteText(text)}`;
    return `${formatKey(key)} goes, and with it the ${kind} of ${quoteText(author)}${said}`;
  }),
  ...emptied.map(({ kind, name, matched }) => {
    const many = matched === 1 ? "the only object it matched" : `all ${matched} objects it matched`;
    return `${kind} ${quoteText(name)} would match nothing: ${many} would go or change`;
  }),
];
