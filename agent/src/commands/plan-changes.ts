import { isDeepStrictEqual } from "node:util";
import type { RealmPlan } from "@realmwatch/shared/config/plan";

/** What becomes of the members of one section, by their names. */
export type SectionChange = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** How many are as they were. */
  readonly kept: number;
};

/** What applying a plan in place of another one changes, by section. `objects` is always there. */
export type PlanChanges = { readonly objects: SectionChange } & Readonly<Record<string, SectionChange>>;

type Members = ReadonlyMap<string, unknown>;

const named = <T extends { readonly name: string }>(items: readonly T[]): Members =>
  new Map(items.map((item) => [item.name, item]));
const record = (items: object): Members => new Map(Object.entries(items));
/** What has no name goes by its place. */
const numbered = (items: readonly unknown[]): Members => new Map(items.map((item, at) => [`number ${at + 1}`, item]));

/** The sections of a plan beside its objects. `satisfies` so that a section of a newer plan is not forgotten. */
const sections = {
  resources: ({ resources }) => record(resources),
  commands: ({ commands }) => record(commands),
  contacts: ({ contacts }) => contacts,
  policies: ({ policies }) => policies,
  timeperiods: ({ timeperiods }) => timeperiods,
  recurringDowntimes: ({ recurringDowntimes }) => named(recurringDowntimes),
  dependencies: ({ dependencies }) => numbered(dependencies),
  handlers: ({ handlers }) => handlers,
  eventHandlers: ({ eventHandlers }) => record(eventHandlers),
  sinks: ({ sinks }) => named(sinks),
  slos: ({ slos }) => named(slos),
  views: ({ views }) => named(views),
  datasources: ({ datasources }) => named(datasources),
  panels: ({ panels }) => named(panels),
} as const satisfies Record<
  Exclude<keyof RealmPlan, "hash" | "objects" | "availabilityRangeMs">,
  (plan: RealmPlan) => Members
>;

/** Compares what two documents mean; how they are written does not count. Sections without a change are left out. */
export function comparePlans(before: RealmPlan, after: RealmPlan): PlanChanges {
  const others = Object.entries(sections)
    .map(([name, of]) => [name, compareMembers(of(before), of(after))] as const)
    .filter(([, { added, removed, changed }]) => added.length + removed.length + changed.length > 0);
  return { objects: compareMembers(digests(before), digests(after)), ...Object.fromEntries(others) };
}

const digests = ({ objects }: RealmPlan): Members => new Map([...objects].map(([ref, { digest }]) => [ref, digest]));

function compareMembers(before: Members, after: Members): SectionChange {
  const added = [...after.keys()].filter((name) => !before.has(name));
  const removed = [...before.keys()].filter((name) => !after.has(name));
  const both = [...after.keys()].filter((name) => before.has(name));
  const changed = both.filter((name) => !isDeepStrictEqual(before.get(name), after.get(name)));
  return { added, removed, changed, kept: both.length - changed.length };
}
