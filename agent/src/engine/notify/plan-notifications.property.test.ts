import assert from "node:assert/strict";
import { test } from "node:test";
import { isProblem } from "@realmwatch/shared/model/status";
import fc from "fast-check";
import { stateTypeOf, statusOf } from "../state/object-state.ts";
import { announcementOf, isAnyContactNotified } from "./notification-state.ts";
import {
  escalationLevel,
  type NotificationScenario,
  notificationScenario,
  type ScenarioOptions,
  twoAttemptService,
} from "./scenario.fixture.ts";

const kinds = ["PROBLEM", "RECOVERY", "STATUS_CHANGE", "FLAPPING_START", "CUSTOM"] as const;
const options: fc.Arbitrary<ScenarioOptions> = fc.record({
  levels: fc.array(
    fc
      .record({
        contacts: fc.uniqueArray(fc.constantFrom("ann", "bea", "cat"), { minLength: 1 }),
        threshold: fc.nat(2),
        renotify: fc.constantFrom(0, 5, 30),
        disabled: fc.subarray([...kinds], { maxLength: 2 }),
        period: fc.constantFrom("", "", "day"),
      })
      .map(({ contacts, threshold, renotify, disabled, period }) =>
        escalationLevel(contacts.join(" "), {
          threshold,
          renotifyIntervalMs: renotify * 60_000,
          disabledKinds: disabled,
          period,
        }),
      ),
    { minLength: 1, maxLength: 3 },
  ),
  plan: fc
    .record({ enabled: fc.boolean(), notifyOnFlapStop: fc.boolean(), maxAttempts: fc.integer({ min: 1, max: 3 }) })
    .map(({ enabled, notifyOnFlapStop, maxAttempts }) => ({
      ...twoAttemptService,
      schedule: { ...twoAttemptService.schedule, maxAttempts },
      flap: { ...twoAttemptService.flap, enabled, notifyOnFlapStop, alpha: 0.3 },
    })),
  periods: fc.constant({
    day: [
      [20, 60],
      [100, 140],
      [180, 220],
      [1000, 10_000],
    ] as const,
  }),
  contactPeriods: fc.constantFrom({}, { bea: "day" }, { ann: "day", bea: "day" }),
});

const statuses = ["ok", "ok", "warning", "critical", "unknown", "unreachable"] as const;
const dependency = { name: "d", untilMs: undefined } as const;

/** Events of one object, a few minutes apart. */
const actions: readonly ((s: NotificationScenario, minute: number, n: number) => void)[] = [
  (s, minute, n) => s.result(minute, statuses[n % statuses.length] ?? "ok"),
  (s, minute, n) => s.result(minute, statuses[n % statuses.length] ?? "ok"),
  (s, minute, n) => s.result(minute, n % 2 === 0 ? "critical" : "ok"),
  (s, minute, n) =>
    s.acknowledge(minute, { sticky: n % 2 === 0, notify: n % 3 === 0, ...(n % 5 === 0 ? { until: minute + 20 } : {}) }),
  (s, minute) => s.unacknowledge(minute),
  (s, minute, n) => s.downtime(minute, minute, minute + 1 + (n % 30), `d${minute}`),
  (s, minute, n) => s.notifications(minute, n % 2 === 0),
  (s, minute, n) => s.program(minute, n % 2 === 0),
  (s, minute, n) => s.contact(minute, ["ann", "bea", "cat"][n % 3] ?? "", n % 2 === 0),
  (s, minute, n) =>
    s.setDependency(
      minute,
      n % 3 === 0
        ? { ...dependency, suppress: "all" }
        : n % 3 === 1
          ? { ...dependency, suppress: "problems" }
          : undefined,
    ),
  (s, minute, n) =>
    s.changeContext(
      minute,
      n % 2 === 0
        ? { hostDown: true, blockedBy: ["web1"] }
        : { hostDown: false, blockedBy: [], reachableSinceMs: minute * 60_000 },
    ),
  (s, minute) => s.custom(minute),
];
type Step = { readonly action: number; readonly n: number; readonly gap: number };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ action: fc.nat(actions.length - 1), n: fc.nat(30), gap: fc.integer({ min: 1, max: 15 }) }),
  { maxLength: 60 },
);

/** Runs all steps; `afterEach` sees the scenario after each of them. */
function run(
  scenarioOptions: ScenarioOptions,
  all: readonly Step[],
  afterEach: (s: NotificationScenario) => void = () => {},
): { s: NotificationScenario; minute: number } {
  const s = notificationScenario(scenarioOptions);
  let minute = 0;
  for (const { action, n, gap } of all) {
    minute += gap;
    actions[action]?.(s, minute, n);
    afterEach(s);
  }
  return { s, minute };
}

/** Ends everything that suppresses notifications. */
function clearSuppressions(s: NotificationScenario, minute: number): void {
  s.program(minute, true);
  s.notifications(minute, true);
  for (const contact of ["ann", "bea", "cat"]) s.contact(minute, contact, true);
  s.setDependency(minute, undefined);
  s.changeContext(minute, { hostDown: false, blockedBy: [] });
  s.unacknowledge(minute);
}

const runs = { numRuns: Number(process.env.RUNS ?? 300) };

test("[NO1, NO2] a hard problem always has a decision, and without a notification it is not `decided`", () => {
  fc.assert(
    fc.property(options, steps, (scenarioOptions, all) => {
      run(scenarioOptions, all, ({ state }) => {
        const status = statusOf(state.phase);
        if (!isProblem(status) || stateTypeOf(state.phase) === "soft") return;
        const { notificationState } = state;
        assert.ok(notificationState !== undefined);
        const { decision } = notificationState;
        assert.ok(decision !== undefined, "the decision is missing");
        if (announcementOf(notificationState) === undefined && !isAnyContactNotified(notificationState))
          assert.notEqual(decision.decision.reason, "decided");
      });
    }),
    runs,
  );
});

test("[NO14] each contact that was notified of a problem gets one recovery, and no other contact gets one", () => {
  fc.assert(
    fc.property(options, steps, (scenarioOptions, all) => {
      const { s, minute } = run(scenarioOptions, all);
      clearSuppressions(s, 1500 + minute);
      for (let n = 1; n < 40; n += 1) s.result(1500 + minute + n, "ok");
      s.advanceTo(4000 + minute);
      const { levels = [] } = scenarioOptions;
      const open = new Set<string>();
      const mute = new Set(levels.flatMap((l) => (l.disabledKinds.includes("RECOVERY") ? l.contacts : [])));
      // [NO24] A disabled kind counts as notified.
      const counted = new Set(
        levels.flatMap((l) =>
          l.disabledKinds.includes("PROBLEM") || l.disabledKinds.includes("STATUS_CHANGE") ? l.contacts : [],
        ),
      );
      for (const line of s.sent) {
        const [, kind = "", , , ...contacts] = line.split(" ");
        for (const contact of contacts) {
          if (kind === "PROBLEM" || kind === "STATUS_CHANGE") open.add(contact);
          if (kind !== "RECOVERY") continue;
          assert.ok(open.delete(contact) || counted.has(contact), `${line}: ${contact} was not notified of a problem`);
        }
      }
      // Recoveries are dropped while notifications are off; otherwise each contact must get its own.
      const dropped =
        s.suppressed.some((line) => /RECOVERY (program_off|object_off|contact_off)/.test(line)) ||
        all.some(({ action }) => action === 8);
      if (!dropped)
        assert.deepEqual(
          [...open].filter((contact) => !mute.has(contact)),
          [],
        );
    }),
    runs,
  );
});

test("[NO3, NO4, NO20] after all suppressions have ended, a hard problem has been announced to its level", () => {
  fc.assert(
    fc.property(options, steps, (scenarioOptions, all) => {
      const { s, minute } = run(scenarioOptions, all);
      clearSuppressions(s, 1500 + minute);
      for (let n = 1; n < 60; n += 1) s.result(1500 + minute + n, "critical");
      const wanted = scenarioOptions.levels?.some(
        (l) => !l.disabledKinds.includes("PROBLEM") && !l.disabledKinds.includes("STATUS_CHANGE"),
      );
      const { notificationState } = s.state;
      const announcement = notificationState && announcementOf(notificationState);
      assert.ok(notificationState !== undefined && announcement !== undefined);
      assert.equal(announcement.status, "critical");
      const disabled = scenarioOptions.levels?.[announcement.level]?.disabledKinds.includes("PROBLEM") ?? false;
      if (wanted && !disabled && announcement.level === 0) assert.ok(isAnyContactNotified(notificationState));
    }),
    runs,
  );
});

test("[NO27] a hard problem that outlasts flapping is notified at the latest with the next result", () => {
  const flapPlan = fc.record({
    alpha: fc.constantFrom(0.3, 0.5, 0.9),
    highThreshold: fc.constantFrom(0.3, 0.6, 0.8),
    notifyOnFlapStop: fc.boolean(),
  });
  const results = fc.array(fc.constantFrom("ok", "ok", "warning", "critical", "critical"), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(flapPlan, fc.integer({ min: 1, max: 3 }), results, (flap, maxAttempts, statuses) => {
      const { schedule, flap: defaults } = twoAttemptService;
      const plan = { ...twoAttemptService, schedule: { ...schedule, maxAttempts }, flap: { ...defaults, ...flap } };
      const s = notificationScenario({ plan, levels: [escalationLevel("ann", { renotifyIntervalMs: 0 })] });
      for (const [minute, status] of statuses.entries()) s.result(minute, status);
      const lastOk = statuses.lastIndexOf("ok");
      let minute = statuses.length;
      const lasting = statuses.at(-1) ?? "critical";
      if (lasting === "ok") return;
      while (s.state.flap.flapping || stateTypeOf(s.state.phase) === "soft") s.result(minute++, lasting);
      s.result(minute, lasting);
      const told = s.sent
        .filter((line) => Number.parseInt(line, 10) > lastOk)
        .findLast((line) => / (PROBLEM|STATUS_CHANGE) /.test(line));
      assert.equal(told?.split(" ")[2], lasting, s.sent.join("\n"));
    }),
    runs,
  );
});

test("[ST3] an attempt never exceeds its maximum, and levels never exceed the last one", () => {
  fc.assert(
    fc.property(options, steps, (scenarioOptions, all) => {
      run(scenarioOptions, all, ({ state }) => {
        if (state.phase.kind === "soft")
          assert.ok(state.phase.attempt < (scenarioOptions.plan as typeof twoAttemptService).schedule.maxAttempts);
        const { level = 0 } = (state.notificationState && announcementOf(state.notificationState)) ?? {};
        assert.ok(level < (scenarioOptions.levels?.length ?? 1));
      });
    }),
    runs,
  );
});

test("a scenario is deterministic, also when the state is stored and restored after each step", () => {
  fc.assert(
    fc.property(options, steps, (scenarioOptions, all) => {
      const { s: one } = run(scenarioOptions, all);
      const { s: other } = run(scenarioOptions, all, (s) => s.restart());
      assert.deepEqual(other.sent, one.sent);
      assert.deepEqual(other.suppressed, one.suppressed);
      assert.equal(JSON.stringify(other.state), JSON.stringify(one.state));
    }),
    runs,
  );
});
