import assert from "node:assert/strict";
import { test } from "node:test";
import { isProblem } from "@realmwatch/shared/model/status";
import fc from "fast-check";
import { stateTypeOf, statusOf } from "../state/attempts.ts";
import { type NotificationScenario, day, escalationLevel, twoAttemptService } from "./scenario.fixture.ts";

type World = Parameters<typeof day>[0];

const kinds = ["PROBLEM", "RECOVERY", "STATUS_CHANGE", "FLAPPING_START", "CUSTOM"] as const;
const worlds: fc.Arbitrary<World> = fc.record({
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

/** Things that happen to an object, a few minutes apart. */
const acts: readonly ((d: NotificationScenario, minute: number, n: number) => void)[] = [
  (d, minute, n) => d.result(minute, statuses[n % statuses.length] ?? "ok"),
  (d, minute, n) => d.result(minute, statuses[n % statuses.length] ?? "ok"),
  (d, minute, n) => d.result(minute, n % 2 === 0 ? "critical" : "ok"),
  (d, minute, n) =>
    d.acknowledge(minute, { sticky: n % 2 === 0, notify: n % 3 === 0, ...(n % 5 === 0 ? { until: minute + 20 } : {}) }),
  (d, minute) => d.unacknowledge(minute),
  (d, minute, n) => d.downtime(minute, minute, minute + 1 + (n % 30), `d${minute}`),
  (d, minute, n) => d.notifications(minute, n % 2 === 0),
  (d, minute, n) => d.program(minute, n % 2 === 0),
  (d, minute, n) => d.contact(minute, ["ann", "bea", "cat"][n % 3] ?? "", n % 2 === 0),
  (d, minute, n) =>
    d.depends(
      minute,
      n % 3 === 0
        ? { ...dependency, suppress: "all" }
        : n % 3 === 1
          ? { ...dependency, suppress: "problems" }
          : undefined,
    ),
  (d, minute, n) =>
    d.around(
      minute,
      n % 2 === 0
        ? { hostDown: true, hostBlocked: true, blockedBy: ["web1"] }
        : { hostDown: false, hostBlocked: false, blockedBy: [], reachableSinceMs: minute * 60_000 },
    ),
  (d, minute) => d.custom(minute),
];
type Step = { readonly act: number; readonly n: number; readonly gap: number };
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ act: fc.nat(acts.length - 1), n: fc.nat(30), gap: fc.integer({ min: 1, max: 15 }) }),
  { maxLength: 60 },
);

function live(
  world: World,
  story: readonly Step[],
  look: (d: NotificationScenario, minute: number) => void = () => {},
): { d: NotificationScenario; minute: number } {
  const d = day(world);
  let minute = 0;
  for (const { act, n, gap } of story) {
    minute += gap;
    acts[act]?.(d, minute, n);
    look(d, minute);
  }
  return { d, minute };
}

/** Takes everything out of the way. */
function clear(d: NotificationScenario, minute: number): void {
  d.program(minute, true);
  d.notifications(minute, true);
  for (const contact of ["ann", "bea", "cat"]) d.contact(minute, contact, true);
  d.depends(minute, undefined);
  d.around(minute, { hostDown: false, hostBlocked: false, blockedBy: [] });
  d.unacknowledge(minute);
}

const runs = { numRuns: Number(process.env.RUNS ?? 300) };

test("[NO1, NO2] a confirmed problem that nobody was told of always has its reason", () => {
  fc.assert(
    fc.property(worlds, steps, (world, story) => {
      live(world, story, ({ state }) => {
        const status = statusOf(state.phase);
        if (!isProblem(status) || stateTypeOf(state.phase) === "soft") return;
        assert.ok(state.telling !== undefined);
        const { told, announced, because } = state.telling;
        assert.ok(because !== undefined, "a reason is lost");
        if (announced !== status && Object.keys(told).length === 0 && announced === undefined)
          assert.notEqual(because.reason, "sent");
      });
    }),
    runs,
  );
});

test("[NO14] nobody hears of the end of what they were not told, and everybody else does, once", () => {
  fc.assert(
    fc.property(worlds, steps, (world, story) => {
      const { d, minute } = live(world, story);
      clear(d, 1500 + minute);
      for (let n = 1; n < 40; n += 1) d.result(1500 + minute + n, "ok");
      d.until(4000 + minute);
      const open = new Set<string>();
      const mute = new Set(world.levels?.flatMap((l) => (l.disabledKinds.includes("RECOVERY") ? l.contacts : [])));
      for (const line of d.sent) {
        const [, kind = "", , , ...contacts] = line.split(" ");
        for (const contact of contacts) {
          if (kind === "PROBLEM" || kind === "STATUS_CHANGE") open.add(contact);
          if (kind !== "RECOVERY") continue;
          assert.ok(open.delete(contact), `${line}: ${contact} knew of nothing`);
        }
      }
      // What is switched off drops recoveries; without that nobody may be left believing that it is broken.
      const dropped =
        d.withheld.some((line) => /RECOVERY (program_off|object_off|contact_off)/.test(line)) ||
        story.some(({ act }) => act === 8);
      if (!dropped)
        assert.deepEqual(
          [...open].filter((contact) => !mute.has(contact)),
          [],
        );
    }),
    runs,
  );
});

test("[NO3, NO4, NO20] once nothing is in the way, a confirmed problem has been told to its level", () => {
  fc.assert(
    fc.property(worlds, steps, (world, story) => {
      const { d, minute } = live(world, story);
      clear(d, 1500 + minute);
      for (let n = 1; n < 60; n += 1) d.result(1500 + minute + n, "critical");
      const wanted = world.levels?.some(
        (l) => !l.disabledKinds.includes("PROBLEM") && !l.disabledKinds.includes("STATUS_CHANGE"),
      );
      const { telling } = d.state;
      assert.equal(telling?.announced, "critical");
      const disabled = world.levels?.[telling?.level ?? 0]?.disabledKinds.includes("PROBLEM") ?? false;
      if (wanted && !disabled && telling?.level === 0) assert.notDeepEqual(telling.told, {});
    }),
    runs,
  );
});

test("[ST3] an attempt never exceeds its maximum, and levels never go past the last", () => {
  fc.assert(
    fc.property(worlds, steps, (world, story) => {
      live(world, story, ({ state }) => {
        if (state.phase.kind === "soft")
          assert.ok(state.phase.attempt < (world.plan as typeof twoAttemptService).schedule.maxAttempts);
        assert.ok((state.telling?.level ?? 0) < (world.levels?.length ?? 1));
      });
    }),
    runs,
  );
});

test("the same story always comes out the same, and its state survives being written down at any point", () => {
  fc.assert(
    fc.property(worlds, steps, (world, story) => {
      const [one, other] = [live(world, story), live(world, story, (d) => d.rest())];
      assert.deepEqual(other.d.sent, one.d.sent);
      assert.deepEqual(other.d.withheld, one.d.withheld);
      assert.equal(JSON.stringify(other.d.state), JSON.stringify(one.d.state));
    }),
    runs,
  );
});
