import { readConfiguredMacro } from "@realmwatch/shared/config/configured-macros";
import { isKnownMacro, macroNames } from "@realmwatch/shared/text/command/macro";
import {
  environmentName,
  type MacroLookup,
  maxValueInArgument,
  maxValueInEnvironment,
  truncateBytes,
} from "@realmwatch/shared/text/command/macro-value";
import type { CheckContext } from "./check-type.ts";

/**
 * Look-up of macro values for one run, each cut to 8 KiB: the object's macros are read from the plan, the others from the
 * context. A known macro without a value is empty; an unknown macro is `undefined`.
 */
export function macroLookup(context: CheckContext): MacroLookup {
  return (name) => {
    const value = readMacro(name, context);
    return value === undefined ? (isKnownMacro(name) ? "" : undefined) : truncateBytes(value, maxValueInArgument);
  };
}

/** Environment variable of each macro. Built once, because V8 interns each newly concatenated property key. */
const variables = macroNames.map((name) => [name, environmentName(name)] as const);

/** `NAGIOS_…` variables of all macros with a value, except `$USERn$`, which often contain secrets. */
export function macroEnvironment(context: CheckContext): Record<string, string> {
  const environment: Record<string, string> = {};
  const { host, plan } = context;
  const add = (name: string, variable: string): void => {
    const value = readMacro(name, context);
    if (value !== undefined) environment[variable] = truncateBytes(value, maxValueInEnvironment);
  };
  for (const [name, variable] of variables) add(name, variable);
  for (const name in host.vars) add(`_HOST${name}`, environmentName(`_HOST${name}`));
  if (isService(plan)) for (const name in plan.vars) add(`_SERVICE${name}`, environmentName(`_SERVICE${name}`));
  return environment;
}

const readMacro = (name: string, { plan, host, realm, macro }: CheckContext): string | undefined =>
  name.startsWith("USER")
    ? own(realm.resources, name)
    : (readConfiguredMacro(name, { plan, host }) ?? (name.startsWith("_") ? undefined : macro(name)));

const isService = (plan: CheckContext["plan"]): boolean => plan.key.kind === "service";

const own = (values: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
