import type { LevelPlan, ObjectPlan, PolicyPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import type { Status } from "@realmwatch/shared/model/status";
import type { ObjectInput } from "../input.ts";
import type { FailedDependency, ObjectContext } from "../object-context.ts";
import { httpService, schedulePlan } from "../plans.fixture.ts";
import { newState, type ObjectState, reviveState } from "../state/object-state.ts";
import { resultAt } from "../step.fixture.ts";
import { step } from "../step.ts";
import { defaultObjectContext } from "../object-context.fixture.ts";

const minuteMs = 60_000;

export const escalationLevel = (contacts: string, more: Partial<LevelPlan> = {}): LevelPlan => ({
  contacts: contacts.split(" "),
  threshold: 0,
  renotifyIntervalMs: 60 * minuteMs,
  disabledKinds: [],
  period: "",
  ...more,
});

/** Open from minute 10 to 20 and from 40 to 50. */
export const opensTwice = {
  notificationScenario: [
    [10, 20],
    [40, 50],
  ],
} as const;

export const failedDependency = { name: "uplink", suppress: "problems", untilMs: undefined } as const;

export const twoAttemptService = { ...httpService, schedule: { ...schedulePlan, maxAttempts: 2 } } as ServicePlan;

type Minutes = number;
type ScenarioOptions = {
  readonly levels?: readonly LevelPlan[];
  readonly policy?: PolicyPlan | undefined;
  readonly plan?: ObjectPlan;
  /** Openings of periods, in minutes. */
  readonly periods?: Readonly<Record<string, readonly (readonly [Minutes, Minutes])[]>>;
  /** Periods of contacts. */
  readonly contactPeriods?: Readonly<Record<string, string>>;
};

/**
 * An object's day: each line happens at a minute, and time passes by itself in between. What was sent is read back as
 * lines of `minute KIND status -> contacts`.
 */
export function day({ levels = [escalationLevel("ann")], plan = twoAttemptService, periods = {}, contactPeriods = {}, ...world }: ScenarioOptions) {
  let policy = "policy" in world ? world.policy : { period: "", levels };
  const off = new Set<string>();
  let objectContext: Partial<ObjectContext> = {};
  let programOn = true;
  let dependency: FailedDependency | undefined;
  let state: ObjectState = newState(0);
  let dueMs = Number.POSITIVE_INFINITY;
  const sent: string[] = [];
  const withheld: string[] = [];
  const asked: string[] = [];

  const openings = (name: string) => periods[name] ?? [[-1e9, 1e9] as const];
  const calendar = {
    isOpen: (name: string, atMs: number) =>
      openings(name).some(([from, to]) => from * minuteMs <= atMs && atMs < to * minuteMs),
    nextOpen: (name: string, atMs: number) =>
      openings(name)
        .filter(([, to]) => atMs < to * minuteMs)
        .map(([from]) => Math.max(atMs, from * minuteMs))[0],
  };
  const surroundings = (): ObjectContext => ({
    ...defaultObjectContext,
    ...objectContext,
    dependency: () => dependency,
    routing: {
      programOn,
      policy,
      contact: (name) => ({ period: contactPeriods[name] ?? "", on: !off.has(name) }),
      calendar,
    },
  });
  function send(nowMs: number, input: ObjectInput): void {
    const outcome = step({ plan, objectContext: surroundings(), nowMs }, state, input);
    state = outcome.state;
    dueMs = outcome.dueMs;
    asked.push(...outcome.followUps.map(({ kind }) => kind));
    const at = nowMs / minuteMs;
    for (const { kind, status, contacts } of outcome.notifications)
      sent.push(`${at} ${kind} ${status} -> ${contacts.join(" ")}`);
    for (const { type, notificationKind, because } of outcome.history)
      if (type === "notification_suppressed") withheld.push(`${at} ${notificationKind} ${because?.reason}`);
  }
  function pass(untilMs: number): void {
    for (let n = 0; dueMs <= untilMs; n += 1) {
      if (n > 10_000) throw new Error("time does not pass: the object is always due");
      send(dueMs, { kind: "due" });
    }
  }
  const at = (minute: Minutes, input: ObjectInput): void => {
    pass(minute * minuteMs - 1);
    send(minute * minuteMs, input);
  };
  const look = (minute: Minutes): void => at(minute, { kind: "reevaluate_notifications" });
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
    withheld,
    asked,
    get state() {
      return state;
    },
    result,
    /** Two results, so that a problem is confirmed with the second one. */
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
      if (on) off.delete(name);
      else off.add(name);
      look(minute);
    },
    /** A reload gives the object another policy, or none. */
    reload(minute: Minutes, policyThen: PolicyPlan | undefined): void {
      pass(minute * minuteMs - 1);
      policy = policyThen;
      look(minute);
    },
    /** At `minute` the wall clock is set forward by so many minutes, or back. */
    jump(minute: Minutes, by: Minutes): void {
      pass(minute * minuteMs - 1);
      send((minute + by) * minuteMs, { kind: "clock_jump", byMs: by * minuteMs });
    },
    depends(minute: Minutes, failed: FailedDependency | undefined): void {
      pass(minute * minuteMs - 1);
      dependency = failed;
      look(minute);
    },
    around(minute: Minutes, change: Partial<ObjectContext>): void {
      pass(minute * minuteMs - 1);
      objectContext = { ...objectContext, ...change };
      look(minute);
    },
    /** Writes the state down and reads it again, as a restart does. */
    rest(): void {
      state = reviveState(JSON.parse(JSON.stringify(state)), 0);
    },
    /** Lets time pass until this minute. */
    until: (minute: Minutes) => pass(minute * minuteMs),
  };
}

export type NotificationScenario = ReturnType<typeof day>;
/** `sent`: everything that was sent on a day on which this happened. */
export type NotificationCase = readonly [rule: string, world: ScenarioOptions, happens: (day: NotificationScenario) => void, sent: readonly string[]];

export function sentDuring(world: ScenarioOptions, happens: (day: NotificationScenario) => void): readonly string[] {
  const d = day(world);
  happens(d);
  return d.sent;
}
