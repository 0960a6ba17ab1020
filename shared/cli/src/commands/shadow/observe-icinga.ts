import { circumstancesOf, type Observation, type ObservedObject } from "./observed-object.ts";

/** Type of objects in the REST API of Icinga 2. */
export type IcingaType = {
  /** Segment of the address. */
  readonly path: string;
  /** Permission that an `ApiUser` needs. */
  readonly permission: string;
  /** Attributes that are asked for. */
  readonly attributes: readonly string[];
};

const checkableAttributes = [
  ...[
    "state",
    "state_type",
    "check_attempt",
    "max_check_attempts",
    "last_check",
    "last_check_result",
    "last_hard_state",
  ],
  ...["last_reachable", "acknowledgement", "downtime_depth", "flapping", "enable_notifications"],
];

/** Types that an observation needs, by their names in the answers. */
export const icingaTypes = {
  Host: {
    path: "hosts",
    permission: "objects/query/Host",
    attributes: ["last_state_up", ...checkableAttributes],
  },
  Service: {
    path: "services",
    permission: "objects/query/Service",
    attributes: ["last_state_ok", ...checkableAttributes],
  },
  Notification: {
    path: "notifications",
    permission: "objects/query/Notification",
    attributes: ["notification_number", "last_problem_notification"],
  },
} as const satisfies Record<string, IcingaType>;

/** Object of an answer. `name` is `host`, `host!service`, and of a notification that of its object, `!` and its own. */
export type IcingaStatusObject = {
  readonly type: string;
  readonly name: string;
  readonly attrs: Readonly<Record<string, unknown>>;
};

/** Notifications of the present problem; `atMs`: time of the latest, Unix ms, 0 for none. */
type Notified = { readonly atMs: number; readonly number: number };
const neverNotified: Notified = { atMs: 0, number: 0 };

/** Hosts and services with the latest notification of their present problem. */
export function observeIcinga(objects: readonly IcingaStatusObject[]): Observation {
  const checkables = objects.filter(({ type }) => type === "Host" || type === "Service");
  const notified = new Map<string, Notified>();
  for (const { type, name, attrs } of objects) {
    if (type !== "Notification" || numberOf(attrs["notification_number"]) === 0) continue;
    const ref = name.slice(0, name.lastIndexOf("!"));
    const { atMs, number } = notified.get(ref) ?? neverNotified;
    notified.set(ref, {
      atMs: Math.max(timeOf(attrs["last_problem_notification"]) ?? 0, atMs),
      number: Math.max(numberOf(attrs["notification_number"]), number),
    });
  }
  return {
    dialect: "icinga2",
    objects: checkables.flatMap((object) => observe(object, notified.get(object.name) ?? neverNotified)),
    known: new Set(checkables.map(({ name }) => name)),
  };
}

const serviceStatuses = ["ok", "warning", "critical", "unknown"] as const;

/** Host or service; none before its first result. */
function observe({ type, name, attrs }: IcingaStatusObject, notified: Notified): ObservedObject[] {
  const checkedAtMs = timeOf(attrs["last_check"]);
  const result = attrs["last_check_result"] as Readonly<Record<string, unknown>> | null | undefined;
  if (checkedAtMs === undefined || result === null || result === undefined) return [];
  const status = type === "Host" ? hostStatusOf(attrs) : (serviceStatuses[numberOf(attrs["state"])] ?? "unknown");
  const isHard = numberOf(attrs["state_type"]) === 1;
  const [output = "", ...further] = textOf(result["output"]).split("\n");
  const executionMs = 1_000 * (numberOf(result["execution_end"]) - numberOf(result["execution_start"]));
  return [
    {
      ...{ ref: name, status, isHard, checkedAtMs, output },
      // Attempts of a hard problem are counted from 1 again there, although it took all of them.
      attempt: Math.max(1, numberOf(attrs[isHard ? "max_check_attempts" : "check_attempt"])),
      executionMs: Math.max(0, executionMs),
      longOutput: further.join("\n"),
      perfdata: perfdataOf(result["performance_data"]),
      lastOkAtMs: timeOf(attrs[type === "Host" ? "last_state_up" : "last_state_ok"]),
      isPassive: result["active"] === false,
      wasHardProblem: numberOf(attrs["last_hard_state"]) > 0,
      notificationNumber: status === "ok" ? 0 : notified.number,
      notifiedAtMs: status === "ok" ? undefined : notified.atMs || undefined,
      circumstances: circumstancesOf({
        isAcknowledged: numberOf(attrs["acknowledgement"]) > 0,
        isInDowntime: numberOf(attrs["downtime_depth"]) > 0,
        isFlapping: attrs["flapping"] === true,
        isSilent: attrs["enable_notifications"] === false,
      }),
    },
  ];
}

function hostStatusOf(attrs: IcingaStatusObject["attrs"]): "ok" | "critical" | "unreachable" {
  if (numberOf(attrs["state"]) === 0) return "ok";
  return attrs["last_reachable"] === false ? "unreachable" : "critical";
}

/** Performance data in the format of plugins: strings as they are, and values of built-in checks, which are objects. */
function perfdataOf(values: unknown): string {
  return (Array.isArray(values) ? values : [])
    .map((value) => (typeof value === "object" && value !== null ? perfdataText(value) : textOf(value)))
    .join(" ");
}

function perfdataText(value: Readonly<Record<string, unknown>>): string {
  const unit = value["counter"] === true ? "c" : (shortUnits[textOf(value["unit"])] ?? textOf(value["unit"]));
  const bounds = ["warn", "crit", "min", "max"].map((name) => textOf(value[name]));
  const all = [`'${textOf(value["label"])}'=${textOf(value["value"])}${unit}`, ...bounds].join(";");
  return all.replace(/;+$/, "");
}

/** Units of plugins for the names that Icinga 2 gives them. */
const shortUnits: Readonly<Record<string, string>> = { seconds: "s", bytes: "B", percent: "%" };

function numberOf(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
}

/** Unix time, ms; undefined for never, which is 0 or -1. */
function timeOf(value: unknown): number | undefined {
  const seconds = numberOf(value);
  return seconds > 0 ? Math.floor(seconds * 1_000) : undefined;
}

const textOf = (value: unknown): string => (value === null || value === undefined ? "" : String(value));
