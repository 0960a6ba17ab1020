import { checkKinds } from "@realmwatch/shared/config/check-kinds/check-kinds";
import type { ActiveCheckSpec } from "@realmwatch/shared/config/check-spec";
import type { HostPlan, RealmPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { macroNames, macroNamesIn } from "@realmwatch/shared/text/command/macro";
import type { CommandTemplate } from "@realmwatch/shared/text/command/prepare-command";
import { isStruct } from "@realmwatch/shared/text/json-values";
import { decodeZoneMessage, isNameToText } from "./zone-message.ts";

/** Version of offers and answers. Changes with their format or meaning: both sides accept only their own version. */
export const zoneVersion = 1;

type Texts = Readonly<Record<string, string>>;

/** Properties of a host or service that checks use. */
export type OfferedObject = { readonly name: string; readonly maxAttempts: number; readonly vars: Texts };

/** Check sent to a worker, with all data that it needs: workers have no configuration. */
export type CheckOffer = {
  readonly version: typeof zoneVersion;
  readonly check: ActiveCheckSpec;
  /** Epoch of the agent, if that is a member of a pair. */
  readonly epoch?: number;
  /** Timeout, ms, above 0. */
  readonly timeoutMs: number;
  /** The checked host, or the host of the checked service. */
  readonly host: OfferedObject & { readonly address: string };
  /** The checked service; undefined for a host. */
  readonly service?: OfferedObject;
  readonly commands: Readonly<Record<string, CommandTemplate>>;
  /** Resource macros used in the command's line or arguments; only these, because they often are secrets. */
  readonly resources: Texts;
  /** Values of macros that depend on state. */
  readonly macros: Texts;
};

/** Configuration and macro values of the agent, from which an offer takes what it needs. */
export type CheckOfferContext = {
  readonly host: HostPlan;
  readonly realm: Pick<RealmPlan, "commands" | "resources">;
  macro(name: string): string | undefined;
};

/** Creates the offer of a check. Only checks that run a program or module use macros and custom variables. */
export function createCheckOffer(
  plan: HostPlan | ServicePlan,
  check: ActiveCheckSpec,
  context: CheckOfferContext,
): CheckOffer {
  const { host } = context;
  const program = programNeeds(check, context.realm);
  const own = ({ key, schedule, vars }: HostPlan | ServicePlan): OfferedObject => ({
    name: key.name,
    maxAttempts: schedule.maxAttempts,
    vars: program === undefined ? {} : vars,
  });
  const names = program === undefined ? [] : [...macroNames, ...program.named];
  return {
    version: zoneVersion,
    check,
    timeoutMs: plan.schedule.timeoutMs,
    host: { ...own(host), address: host.address },
    ...(plan.key.kind === "service" ? { service: own(plan) } : {}),
    commands: program?.commands ?? {},
    resources: chosen(program?.named ?? [], (name) => ownText(context.realm.resources, name)),
    macros: chosen(names, (name) => context.macro(name)),
  };
}

type ProgramNeeds = { readonly commands: CheckOffer["commands"]; readonly named: readonly string[] };

/** Commands and macros used by a check that runs a program or module; undefined for other checks. */
function programNeeds(check: ActiveCheckSpec, { commands }: CheckOfferContext["realm"]): ProgramNeeds | undefined {
  const { uses } = checkKinds[check.type];
  if (uses === "none") return undefined;
  if (check.type !== "command") return { commands: {}, named: [] };
  const template = Object.hasOwn(commands, check.command) ? commands[check.command] : undefined;
  if (template === undefined) return { commands: {}, named: [] };
  return {
    commands: { [check.command]: template },
    named: [template.line, ...check.args].flatMap(macroNamesIn),
  };
}

function chosen(names: readonly string[], read: (name: string) => string | undefined): Texts {
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = read(name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

const ownText = (values: Texts, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** Decodes an offer. The error is a sentence that is shown as the check's output. */
export function decodeCheckOffer(data: Uint8Array): Result<CheckOffer, string> {
  const message = decodeZoneMessage(data, zoneVersion);
  if (!message.ok) return message;
  const { check, epoch, timeoutMs, host, service, commands, resources, macros } = message.value;
  if (!isStruct(check) || !isActiveType(check["type"])) return fail("it does not know this check type");
  const isComplete =
    typeof timeoutMs === "number" &&
    timeoutMs > 0 &&
    (epoch === undefined || typeof epoch === "number") &&
    isObject(host) &&
    typeof host["address"] === "string" &&
    (service === undefined || isObject(service)) &&
    isStruct(commands) &&
    isNameToText(resources) &&
    isNameToText(macros);
  // The spec's fields were checked at compilation, and equal versions have equal specs.
  return isComplete ? ok(message.value as unknown as CheckOffer) : fail("the offer is incomplete");
}

const isActiveType = (type: unknown): boolean =>
  typeof type === "string" && type !== "passive" && Object.hasOwn(checkKinds, type);

const isObject = (value: unknown): value is Record<string, unknown> =>
  isStruct(value) &&
  typeof value["name"] === "string" &&
  typeof value["maxAttempts"] === "number" &&
  isNameToText(value["vars"]);
