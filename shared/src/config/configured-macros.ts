import type { CheckSpec } from "./check-kinds/check-kinds.ts";
import type { HostPlan, ObjectPlan, ProcessPlan } from "./plan.ts";

/** Object whose macros are read. The `HOST…` macros of a process are about the process itself. */
export type MacroSubject = {
  readonly plan: Pick<ObjectPlan, "key" | "vars"> & { readonly schedule?: { readonly maxAttempts: number } };
  /** The object itself, or the host of a service; undefined for a process, and for a service whose host is unknown. */
  readonly host: Pick<HostPlan, "key" | "address" | "vars" | "schedule"> | undefined;
};

/** Value of a macro that the configuration alone determines; undefined for every other macro. */
export function readConfiguredMacro(name: string, { plan, host }: MacroSubject): string | undefined {
  const { key } = plan;
  const isService = key.kind === "service";
  switch (name) {
    case "HOSTNAME":
    case "HOSTALIAS":
    case "HOSTDISPLAYNAME":
      return isService ? key.host : key.name;
    case "HOSTADDRESS":
      return host?.address;
    case "SERVICEDESC":
    case "SERVICEDISPLAYNAME":
      return isService ? key.name : undefined;
    case "MAXHOSTATTEMPTS":
      return attemptsText(isService ? host : plan);
    case "MAXSERVICEATTEMPTS":
      return isService ? attemptsText(plan) : undefined;
    default:
      break;
  }
  if (name.startsWith("_HOST")) return own((isService ? host : plan)?.vars, name.slice("_HOST".length));
  if (name.startsWith("_SERVICE")) return isService ? own(plan.vars, name.slice("_SERVICE".length)) : undefined;
  return undefined;
}

/** Macros with fixed names that `readConfiguredMacro` knows. */
const fixedNames = [
  ...["HOSTNAME", "HOSTALIAS", "HOSTDISPLAYNAME", "HOSTADDRESS", "MAXHOSTATTEMPTS"],
  ...["SERVICEDESC", "SERVICEDISPLAYNAME", "MAXSERVICEATTEMPTS"],
];

/** All macros of an object that the configuration alone determines, by name without dollar signs. */
export function configuredMacros(subject: MacroSubject): Readonly<Record<string, string>> {
  const { plan, host } = subject;
  const isService = plan.key.kind === "service";
  const values: Record<string, string> = {};
  const custom = [
    ...Object.keys((isService ? host : plan)?.vars ?? {}).map((name) => `_HOST${name}`),
    ...(isService ? Object.keys(plan.vars).map((name) => `_SERVICE${name}`) : []),
  ];
  for (const name of [...fixedNames, ...custom]) {
    const value = readConfiguredMacro(name, subject);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

/**
 * Value of `$HOSTCHECKCOMMAND$` and `$SERVICECHECKCOMMAND$`: name and arguments of a `command` check as configured, the
 * path of a program or module, else the type of the check. Empty for a process, which has no check.
 */
export function checkCommandText(plan: { readonly check: CheckSpec } | Pick<ProcessPlan, "rule">): string {
  if (!("check" in plan)) return "";
  const { check } = plan;
  switch (check.type) {
    case "command":
      return [check.command, ...check.args].join("!");
    case "legacy":
      return check.path;
    case "wasm":
      return check.module;
    default:
      return check.type;
  }
}

/** A process has no attempts: its first problem is hard. */
const attemptsText = (
  plan: { readonly schedule?: { readonly maxAttempts: number } } | undefined,
): string | undefined => (plan === undefined ? undefined : String(plan.schedule?.maxAttempts ?? 1));

const own = (values: Readonly<Record<string, string>> | undefined, name: string): string | undefined =>
  values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
