import type { SchedulePlan } from "../check-spec.ts";
import { isChecked, type ObjectPlan, type RealmPlan } from "../plan.ts";

export type ObjectChange = {
  readonly before: ObjectPlan;
  readonly after: ObjectPlan;
  /** True when the check, its schedule, its command line or a process's rule changed. */
  readonly checkChanged: boolean;
};

/** Changes of the entries of one section, by name. */
type SectionDiff = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
};

/** Differences between two plans. Objects are in the order of the plan that contains them. */
export type PlanDiff = {
  readonly before: RealmPlan;
  readonly after: RealmPlan;
  readonly added: readonly ObjectPlan[];
  readonly removed: readonly ObjectPlan[];
  readonly changed: readonly ObjectChange[];
  /** Changed sections only. */
  readonly sections: ReadonlyMap<SectionName, SectionDiff>;
};

/** Reads the entries of each section other than objects, by name. Keys are the document's section names. */
const sectionReaders = {
  commands: ({ commands }) => new Map(Object.entries(commands)),
  contacts: ({ contacts }) => contacts,
  notifications: ({ policies }) => policies,
  views: ({ views }) => byName(views),
  sinks: ({ sinks }) => byName(sinks),
  timeperiods: ({ timeperiods }) => timeperiods,
  downtimes: ({ recurringDowntimes }) => byName(recurringDowntimes),
  slos: ({ slos }) => byName(slos),
  dependencies: ({ dependencies }) => byName(dependencies),
  handlers: ({ handlers }) => handlers,
  datasources: ({ datasources }) => byName(datasources),
  panels: ({ panels }) => byName(panels),
  receivers: ({ receivers }) => byName(receivers),
  resources: ({ resources }) => new Map(Object.entries(resources)),
  settings: ({ eventHandlers, availabilityRangeMs }) =>
    new Map<string, unknown>([
      ["event_handlers", eventHandlers],
      ["ui.availability", availabilityRangeMs ?? "unset"],
    ]),
} as const satisfies Readonly<Record<string, (plan: RealmPlan) => ReadonlyMap<string, unknown>>>;
type SectionName = keyof typeof sectionReaders;

const byName = <T extends { readonly name: string }>(entries: readonly T[]): ReadonlyMap<string, T> =>
  new Map(entries.map((entry) => [entry.name, entry]));

/**
 * Compares two plans; objects are compared by their digests. A new child or service does not change a host. A downtime or
 * dependency changes if its matching objects change.
 */
export function diffPlans(before: RealmPlan, after: RealmPlan): PlanDiff {
  const [old, now] = [before.objects, after.objects];
  const added: ObjectPlan[] = [];
  const changed: ObjectChange[] = [];
  for (const object of now.values()) {
    const known = old.get(object.ref);
    if (known === undefined) added.push(object);
    else if (known !== object && known.digest !== object.digest) {
      const checkChanged = checkSignature(known, before) !== checkSignature(object, after);
      changed.push({ before: known, after: object, checkChanged });
    }
  }
  // All others are in both plans.
  const isRemoved = old.size > now.size - added.length;
  const removed = isRemoved ? [...old.values()].filter(({ ref }) => !now.has(ref)) : [];
  return { before, after, added, removed, changed, sections: diffSections(before, after) };
}

/** Text that is equal for two objects if their checks, schedules and command lines, or their rules, are equal. */
export function checkSignature(object: ObjectPlan, { commands }: RealmPlan): string {
  if (!isChecked(object)) {
    const { rule, states, ignoreDowntime, ignoreAcknowledged } = object;
    return JSON.stringify([rule, states, ignoreDowntime, ignoreAcknowledged]);
  }
  const line = object.check.type === "command" ? commands[object.check.command] : undefined;
  // The journal stores hashes of this text, so its format must not change.
  return `[${JSON.stringify(object.check)},${scheduleText(object.schedule)},${JSON.stringify(line) ?? "null"}]`;
}

const scheduleTexts = new WeakMap<SchedulePlan, string>();

/** Caches texts, because the objects of a plan share few schedules. */
const scheduleText = (schedule: SchedulePlan): string =>
  scheduleTexts.getOrInsertComputed(schedule, (given) => JSON.stringify(given));

/** Differences between two plans other than objects. */
export function diffSections(before: RealmPlan, after: RealmPlan): PlanDiff["sections"] {
  const sections = new Map<SectionName, SectionDiff>();
  for (const [name, read] of Object.entries(sectionReaders) as [SectionName, (typeof sectionReaders)[SectionName]][]) {
    const diff = diffEntries(read(before), read(after));
    if (diff.added.length + diff.removed.length + diff.changed.length > 0) sections.set(name, diff);
  }
  return sections;
}

function diffEntries(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): SectionDiff {
  const [old, now] = [[...before.keys()], [...after.keys()]];
  return {
    added: now.filter((name) => !before.has(name)),
    removed: old.filter((name) => !after.has(name)),
    changed: now.filter(
      (name) => before.has(name) && JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)),
    ),
  };
}
