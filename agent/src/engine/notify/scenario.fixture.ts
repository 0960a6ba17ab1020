import type { LevelPlan, ObjectPlan, PolicyPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import type { Status } from "@realmwatch/shared/model/status";
import { type ProblemStatus, problemStatuses } from "@realmwatch/shared/model/status";
import type { ObjectInput } from "../input.ts";
import { defaultObjectContext } from "../object-context.fixture.ts";
import type { FailedDependency, ObjectContext } from "../object-context.ts";
import { httpService, schedulePlan } from "../plans.fixture.ts";
import { newState, type ObjectState, reviveState } from "../state/object-state.ts";
import { resultAt } from "../step.fixture.ts";
import { step } from "../step.ts";

const minuteMs = 60_000;

export const escalationLevel = (contacts: string, more: Partial<LevelPlan> = {}): LevelPlan => ({
  contacts: contacts.split(" "),
  threshold: 0,
  renotifyIntervalMs: 60 * minuteMs,
  disabledKinds: [],
  statuses: problemStatuses,
  period: "",
  ...more,
});

/** The period `day`, open from minute 10 to 20 and from 40 to 50. */
export const opensTwice = {
  day: [
    [10, 20],
    [40, 50],
  ],
} as const;

export const failedDependency = { name: "uplink", suppress: "problems", untilMs: undefined } as const;

/** A service whose problems turn hard with the second result. */
export const twoAttemptService = { ...httpService, schedule: { ...schedulePlan, maxAttempts: 2 } } as ServicePlan;

type Minutes = number;
export type ScenarioOptions = {
  readonly levels?: readonly LevelPlan[];
  readonly policy?: PolicyPlan | undefined;
  readonly plan?: ObjectPlan;
  /** Openings of periods, in minutes. */
  readonly periods?: Readonly<Record<string, readonly (readonly [Minutes, Minutes])[]>>;
  /** Periods of contacts. */
  readonly contactPeriods?: Readonly<Record<string, string>>;
  /** Statuses of contacts; default: all. */
  readonly contactStatuses?: Readonly<Record<string, readonly ProblemStatus[]>>;
};

/**
 * Runs the engine for one object. Each method takes the minute at which it happens, and time passes in between.
 * `sent` has a line `minute KIND status -> contacts` for each notification.
 */
export function notificationScenario(options: ScenarioOptions) {
  const { levels = [escalationLevel("ann")], plan = twoAttemptService, periods = {} } = options;
  const { contactPeriods = {}, contactStatuses = {} } = options;
  let policy = "policy" in options ? options.policy : { period: "", levels };
  const contactsOff = new Set<string>();
  let contextChanges: Partial<ObjectContext> = {};
  let programOn = true;
  let dependency: FailedDependency | undefined;
  let state: ObjectState = newState(0);
  let dueMs = Number.POSITIVE_INFINITY;
  const sent: string[] = [];
  const suppressed: string[] = [];
  const followUps: string[] = [];

  const openings = (name: string) => periods[name] ?? [[-1e9, 1e9] as const];
  const calendar = {
    isOpen: (name: string, atMs: number) =>
      openings(name).some(([from, to]) => from * minuteMs <= atMs && atMs < to * minuteMs),
    nextOpen: (name: string, atMs: number) =>
      openings(name)
        .filter(([, to]) => atMs < to * minuteMs)
        .map(([from]) => Math.max(atMs, from * minuteMs))[0],
  };
  const objectContext = (): ObjectContext => ({
    ...defaultObjectContext,
    ...contextChanges,
    dependency: () => dependency,
    routing: {
      programOn,
      policy,
      contact: (name) => ({
        ...{ period: contactPeriods[name] ?? "", statuses: contactStatuses[name] },
        on: !contactsOff.has(name),
      }),
      calendar,
    },
  });
  function send(nowMs: number, input: ObjectInput): void {
    const outcome = step({ plan, objectContext: objectContext(), nowMs }, state, input);
    state = outcome.state;
    dueMs = outcome.dueMs;
    followUps.push(...outcome.followUps.map(({ kind }) => kind));
    const at = nowMs / minuteMs;
    for (const { kind, status, contacts } of outcome.notifications)
      sent.push(`${at} ${kind} ${status} -> ${contacts.join(" ")}`);
    for (const { type, notificationKind, because } of outcome.history)
      if (type === "notification_suppressed") suppressed.push(`${at} ${notificationKind} ${because?.reason}`);
  }
  function pass(untilMs: number): void {
    for (let n = 0; dueMs <= untilMs; n += 1) {
      if (n > 10_000) throw new Error("the object is due again and again at the same time");
      send(dueMs, { kind: "due" });
    }
  }
  const at = (minute: Minutes, input: ObjectInput): void => {
    pass(minute * minuteMs - 1);
    send(minute * minuteMs, input);
  };
  const reevaluate = (minute: Minutes): void => at(minute, { kind: "reevaluate_notifications" });
  const by = { author: "bea", onBehalfOf: "" };
  const result = (minute: Minutes, status: Exclude<Status, "pending">): void =>
    at(minute, { kind: "result", result: resultAt(minute * minuteMs, status) });
  const downtime = (from: Minutes, to: Minutes, id: string): Downtime => ({
    id,
    shape: { kind: "fixed" },
    startMs: from * minuteMs,
    endMs: to * minuteMs,
    ...by,
    comment: "",
    inEffect: false,
  });
  return {
    sent,
    suppressed,
    followUps,
    get state() {
      return state;
    },
    result,
    /** Two results: the second one confirms a problem. */
    hard(minute: Minutes, status: Exclude<Status, "pending">): void {
      result(minute - 1, status);
      result(minute, status);
    },
    acknowledge(minute: Minutes, more: { sticky?: boolean; notify?: boolean; until?: Minutes } = {}): void {
      const expiresAtMs = more.until === undefined ? undefined : more.until * minuteMs;
      const acknowledgement = {
        ...by,
        comment: "",
        sticky: more.sticky ?? false,
        atMs: minute * minuteMs,
        expiresAtMs,
      };
      at(minute, { kind: "acknowledge", acknowledgement, notify: more.notify ?? false });
    },
    unacknowledge: (minute: Minutes) => at(minute, { kind: "remove_acknowledgement", by }),
    custom: (minute: Minutes) => at(minute, { kind: "custom_notification", comment: "hello", by }),
    downtime: (minute: Minutes, from: Minutes, to: Minutes, id = "d1") =>
      at(minute, { kind: "schedule_downtime", downtime: downtime(from, to, id) }),
    deleteDowntime: (minute: Minutes, id = "d1") => at(minute, { kind: "delete_downtime", id, by }),
    notifications: (minute: Minutes, enabled: boolean) =>
      at(minute, { kind: "set_toggle", toggle: "notifications", enabled, by }),
    program(minute: Minutes, on: boolean): void {
      pass(minute * minuteMs - 1);
      programOn = on;
      at(minute, { kind: "program_toggle", toggle: "notifications" });
    },
    contact(minute: Minutes, name: string, on: boolean): void {
      pass(minute * minuteMs - 1);
      if (on) contactsOff.delete(name);
      else contactsOff.add(name);
      reevaluate(minute);
    },
    /** A reload gives the object another policy, or none. */
    reload(minute: Minutes, newPolicy: PolicyPlan | undefined): void {
      pass(minute * minuteMs - 1);
      policy = newPolicy;
      reevaluate(minute);
    },
    /** Sets the wall clock forward by so many minutes, or (negative) back. */
    clockJump(minute: Minutes, by: Minutes): void {
      pass(minute * minuteMs - 1);
      send((minute + by) * minuteMs, { kind: "clock_jump", byMs: by * minuteMs });
    },
    setDependency(minute: Minutes, failed: FailedDependency | undefined): void {
      pass(minute * minuteMs - 1);
      dependency = failed;
      reevaluate(minute);
    },
    changeContext(minute: Minutes, change: Partial<ObjectContext>): void {
      pass(minute * minuteMs - 1);
      contextChanges = { ...contextChanges, ...change };
      reevaluate(minute);
    },
    /** Stores the state as JSON and restores it, as a restart does. */
    restart(): void {
      state = reviveState(JSON.parse(JSON.stringify(state)), 0);
    },
    advanceTo: (minute: Minutes) => pass(minute * minuteMs),
  };
}

export type NotificationScenario = ReturnType<typeof notificationScenario>;
/** `sent`: all notifications of a scenario in which `actions` happen. */
export type NotificationCase = readonly [
  rule: string,
  options: ScenarioOptions,
  actions: (s: NotificationScenario) => void,
  sent: readonly string[],
];

export function sentDuring(options: ScenarioOptions, actions: (s: NotificationScenario) => void): readonly string[] {
  const s = notificationScenario(options);
  actions(s);
  return s.sent;
}
