import { objectKinds } from "../../model/object-key.ts";
import type { ObjectPlan } from "../plan.ts";
import type { PlanDiff, SectionName } from "./diff-plans.ts";

type Noun = readonly [one: string, more: string];

const kindNouns = {
  host: ["host", "hosts"],
  service: ["service", "services"],
  process: ["process", "processes"],
} as const;

const sectionNouns: Readonly<Record<SectionName, Noun>> = {
  commands: ["command", "commands"],
  contacts: ["contact", "contacts"],
  notifications: ["notification policy", "notification policies"],
  views: ["view", "views"],
  sinks: ["sink", "sinks"],
  timeperiods: ["timeperiod", "timeperiods"],
  downtimes: ["downtime", "downtimes"],
  slos: ["slo", "slos"],
  dependencies: ["dependency", "dependencies"],
  handlers: ["handler", "handlers"],
  datasources: ["datasource", "datasources"],
  panels: ["panel", "panels"],
  receivers: ["receiver", "receivers"],
  resources: ["resource", "resources"],
  settings: ["setting", "settings"],
};

const formatCount = (count: number, [one, more]: Noun): string => `${count} ${count === 1 ? one : more}`;

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
    ...(others === 0 ? [] : [`${formatCount(others, ["object", "objects"])} changed beside the check`]),
  ];
}

/** Formats removed objects and the number of changed checks, for callers that know only these. */
export const formatObjectChanges = (removed: readonly ObjectPlan[], checks: number): readonly string[] => [
  ...countKinds(removed, "-"),
  ...(checks === 0 ? [] : [`${formatCount(checks, ["check", "checks"])} changed`]),
];

const countKinds = (objects: readonly ObjectPlan[], sign: string): readonly string[] =>
  objectKinds.flatMap((kind) => {
    const count = objects.filter(({ key }) => key.kind === kind).length;
    return count === 0 ? [] : [`${sign}${formatCount(count, kindNouns[kind])}`];
  });

const formatSections = ({ sections }: PlanDiff): string =>
  [...sections]
    .flatMap(([name, { added, removed, changed }]) => {
      const noun = sectionNouns[name];
      return [
        ...(added.length === 0 ? [] : [`+${formatCount(added.length, noun)}`]),
        ...(removed.length === 0 ? [] : [`-${formatCount(removed.length, noun)}`]),
        ...(changed.length === 0 ? [] : [`${formatCount(changed.length, noun)} changed`]),
      ];
    })
    .join(", ");
