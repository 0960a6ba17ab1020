import { type ActiveCheckSpec, checkTypeNames } from "@realmwatch/shared/config/check-spec";
import type { CommandTemplate, HostPlan, RealmPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { never } from "@realmwatch/shared/model/never";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { macroNames, macroNamesIn } from "@realmwatch/shared/text/macro";
import { decodeZoneMessage, isNameToText, isRecord } from "./zone-message.ts";

/** Changes with any change of what an offer or an answer means: the two sides understand only their own. */
export const zoneVersion = 1;

type Texts = Readonly<Record<string, string>>;

/** What checks see of a host or a service. */
export type OfferedObject = { readonly name: string; readonly maxAttempts: number; readonly vars: Texts };

/** A check on its way to a worker, with everything that it needs and nothing else: a worker knows no configuration. */
export type CheckOffer = {
  readonly version: typeof zoneVersion;
  readonly check: ActiveCheckSpec;
  /** ms, above 0. */
  readonly timeoutMs: number;
  /** The host itself, or the service's. */
  readonly host: OfferedObject & { readonly address: string };
  /** Where a service is checked. */
  readonly service?: OfferedObject;
  readonly commands: Readonly<Record<string, CommandTemplate>>;
  /** Those that the command's line or arguments name: they often are secrets. */
  readonly resources: Texts;
  /** Values of macros that are state. */
  readonly macros: Texts;
};

/** What is known where the check is due. */
export type CheckOfferContext = {
  readonly host: HostPlan;
  readonly realm: Pick<RealmPlan, "commands" | "resources">;
  macro(name: string): string | undefined;
};

/** Packs a check for a worker. Only programs see macros and custom variables, so only they get them. */
export function createCheckOffer(
  plan: HostPlan | ServicePlan,
  check: ActiveCheckSpec,
  around: CheckOfferContext,
): CheckOffer {
  const { host } = around;
  const program = programNeeds(check, around.realm);
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
    resources: chosen(program?.named ?? [], (name) => ownText(around.realm.resources, name)),
    macros: chosen(names, (name) => around.macro(name)),
  };
}

type ProgramNeeds = { readonly commands: CheckOffer["commands"]; readonly named: readonly string[] };

/** What a check that runs a program or a module wants beside its spec; undefined for all others. */
function programNeeds(check: ActiveCheckSpec, { commands }: CheckOfferContext["realm"]): ProgramNeeds | undefined {
  switch (check.type) {
    case "command": {
      const template = Object.hasOwn(commands, check.command) ? commands[check.command] : undefined;
      if (template === undefined) return { commands: {}, named: [] };
      return {
        commands: { [check.command]: template },
        named: [template.line, ...check.args].flatMap(macroNamesIn),
      };
    }
    case "legacy":
    case "wasm":
      return { commands: {}, named: [] };
    case "tcp":
    case "http":
    case "dns":
    case "icmp":
    case "tls":
    case "snmp":
      return undefined;
    default:
      return never(check);
  }
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

/** Reads an offer; why it cannot be worked on otherwise, for people at the agent's side. */
export function decodeCheckOffer(data: Uint8Array): Result<CheckOffer, string> {
  const message = decodeZoneMessage(data, zoneVersion);
  if (!message.ok) return message;
  const { check, timeoutMs, host, service, commands, resources, macros } = message.value;
  if (!isRecord(check) || !isActiveType(check["type"])) return fail("it does not know this type of check");
  const whole =
    typeof timeoutMs === "number" &&
    timeoutMs > 0 &&
    isObject(host) &&
    typeof host["address"] === "string" &&
    (service === undefined || isObject(service)) &&
    isRecord(commands) &&
    isNameToText(resources) &&
    isNameToText(macros);
  // The spec's own fields were checked when the configuration was: the version says that both mean the same.
  return whole ? ok(message.value as unknown as CheckOffer) : fail("the offer lacks something");
}

const isActiveType = (type: unknown): boolean => type !== "passive" && checkTypeNames.some((name) => name === type);

const isObject = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) &&
  typeof value["name"] === "string" &&
  typeof value["maxAttempts"] === "number" &&
  isNameToText(value["vars"]);
