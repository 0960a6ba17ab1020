import { isChecked, type RealmPlan } from "../plan.ts";
import { addWarning, type LintContext } from "./lint-context.ts";

/** Warns of unused declarations, and of used timeperiods that are never open. */
export function lintUnused(l: LintContext): void {
  const { plan } = l;
  for (const path of unusedDeclarations(plan)) addWarning(l, path, "is never used", { at: "struct" });
  const periods = new Set(usedTimeperiods(plan));
  for (const name of plan.timeperiods.keys())
    if (periods.has(name) && l.calendar.nextOpen(name, l.nowMs) === undefined)
      addWarning(l, ["timeperiods", name], "is never open in the next two years", { at: "struct" });
}

/** Declarations that nothing refers to. */
export function unusedDeclarations(plan: RealmPlan): readonly (readonly [section: string, name: string])[] {
  const declared = [
    ["contacts", plan.contacts.keys(), usedContacts(plan)],
    ["commands", Object.keys(plan.commands), usedCommands(plan)],
    ["handlers", plan.handlers.keys(), usedHandlers(plan)],
    ["notifications", plan.policies.keys(), [...plan.objects.values()].map(({ policy }) => policy)],
    ["timeperiods", plan.timeperiods.keys(), usedTimeperiods(plan)],
  ] as const;
  return declared.flatMap(([section, names, uses]) => {
    const used = new Set(uses);
    return [...names].filter((name) => !used.has(name)).map((name) => [section, name] as const);
  });
}

/** Contacts of policies, fallbacks, and contacts that receive heartbeats. */
const usedContacts = ({ policies, contacts }: RealmPlan): readonly string[] => [
  ...[...policies.values()].flatMap(({ levels }) => levels.flatMap((level) => level.contacts)),
  ...[...contacts.values()].flatMap(({ name, fallback, heartbeatMs }) => [
    ...(fallback === undefined ? [] : [fallback.contact]),
    ...(heartbeatMs === undefined ? [] : [name]),
  ]),
];

const usedCommands = (plan: RealmPlan): readonly string[] => [
  ...[...plan.objects.values()].flatMap((object) =>
    isChecked(object) && object.check.type === "command" ? [object.check.command] : [],
  ),
  ...[...plan.contacts.values()].flatMap((contact) => (contact.type === "command" ? [contact.command] : [])),
  ...[...plan.handlers.values()].flatMap(({ run }) => (run.type === "command" ? [run.command] : [])),
];

const usedHandlers = ({ objects, eventHandlers: { host, service } }: RealmPlan): readonly string[] => [
  host,
  service,
  ...[...objects.values()].flatMap((object) => (isChecked(object) ? [object.handler] : [])),
];

const usedTimeperiods = (plan: RealmPlan): readonly string[] => [
  ...[...plan.objects.values()].flatMap((object) => (isChecked(object) ? [object.schedule.checkPeriod] : [])),
  ...[...plan.contacts.values()].map(({ notificationPeriod }) => notificationPeriod),
  ...[...plan.policies.values()].flatMap(({ period, levels }) => [period, ...levels.map((level) => level.period)]),
  ...[...plan.timeperiods.values()].flatMap(({ exclude }) => exclude),
  ...plan.recurringDowntimes.map(({ period }) => period),
  ...plan.dependencies.map(({ period }) => period),
  ...plan.slos.map(({ period }) => period),
];
