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
  resources: ["resource", "resources"],
  settings: ["setting", "settings"],
};

const many = (count: number, [one, more]: Noun): string => `${count} ${count === 1 ? one : more}`;

/**
 * A difference in words: a line for objects, `+3 hosts, -1 service, 2 checks changed`, and one for everything else,
 * where there is any.
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
    ...(others === 0 ? [] : [`${many(others, ["object", "objects"])} changed beside the check`]),
  ];
}

/** The same of objects that are gone and `checks` that changed, where that is all that is known. */
export const formatObjectChanges = (removed: readonly ObjectPlan[], checks: number): readonly string[] => [
  ...countKinds(removed, "-"),
  ...(checks === 0 ? [] : [`${many(checks, ["check", "checks"])} changed`]),
];

const countKinds = (objects: readonly ObjectPlan[], sign: string): readonly string[] =>
  objectKinds.flatMap((kind) => {
    const count = objects.filter(({ key }) => key.kind === kind).length;
    return count === 0 ? [] : [`${sign}${many(count, kindNouns[kind])}`];
  });

const formatSections = ({ sections }: PlanDiff): string =>
  [...sections]
    .flatMap(([name, { added, removed, changed }]) => {
      const noun = sectionNouns[name];
      return [
        ...(added.length === 0 ? [] : [`+${many(added.length, noun)}`]),
        ...(removed.length === 0 ? [] : [`-${many(removed.length, noun)}`]),
        ...(changed.length === 0 ? [] : [`${many(changed.length, noun)} changed`]),
      ];
    })
    .join(", ");
