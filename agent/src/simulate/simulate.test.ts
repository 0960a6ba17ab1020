import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Command } from "@realmwatch/shared/commands/commands";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { type CheckStatus, problemStatuses } from "@realmwatch/shared/model/status";
import fc from "fast-check";
import { realmPlan } from "../realm/fixtures/realm-plan.fixture.ts";
import { process as businessProcess, host, service } from "../realm/fixtures/test-realm.fixture.ts";
import { readRecording, withJournal } from "./read-recording.ts";
import { openRealmScenario } from "./recorded-realm.fixture.ts";
import type { NotificationSummary } from "./recording.ts";
import { simulate } from "./simulate.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-simulate-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let folders = 0;

const minuteMs = 60_000;
const flap = { enabled: true, alpha: 0.3, highThreshold: 0.5, lowThreshold: 0.2, notifyOnFlapStop: false };
const schedule = {
  ...{ checkIntervalMs: 60_000, retryIntervalMs: 15_000, timeoutMs: 10_000, maxAttempts: 3, checkPeriod: "" },
};
const contact = (name: string) =>
  [name, { name, type: "email", labels: {}, notificationPeriod: "", address: `${name}@test`, groupWaitMs: 0 }] as const;
const level = (name: string, threshold: number, minutes: number) => ({
  ...{
    contacts: [name],
    threshold,
    renotifyIntervalMs: minutes * minuteMs,
    disabledKinds: [],
    statuses: problemStatuses,
    period: "",
  },
});

const plan = (more: Partial<RealmPlan> = {}, attempts = 3): RealmPlan => {
  const own = { schedule: { ...schedule, maxAttempts: attempts }, flap };
  const web1 = { ...own, services: ["web1!http", "web1!disk"], parents: ["gw"] };
  return realmPlan(
    [
      host("gw", { ...own, children: ["web1"] }),
      host("web1", web1),
      service("web1", "http", own),
      service("web1", "disk", own),
      businessProcess("shop", "web1!http", "web1!disk"),
    ],
    {
      contacts: new Map([contact("ann"), contact("bea")]),
      policies: new Map([["all", { period: "", levels: [level("ann", 2, 30), level("bea", 0, 60)] }]]),
      ...more,
    },
  );
};

type RealmScenario = Awaited<ReturnType<typeof openRealmScenario>>;

async function simulated(scenario: RealmScenario, order: { ran?: RealmPlan; candidate: RealmPlan; sinceMs?: number }) {
  folders += 1;
  const dataDir = join(folder, `${folders}`);
  await scenario.write(dataDir);
  const { ran, candidate, sinceMs = 0 } = order;
  const plans = [ran, candidate].filter((one) => one !== undefined);
  const recording = await withJournal(dataDir, (view) =>
    readRecording(view, { sinceMs, nowMs: scenario.clock.now(), plans }),
  );
  assert.ok(recording.ok, JSON.stringify(recording));
  return simulate({ recording: recording.value, candidate, ran, toleranceMs: 2 * minuteMs });
}

const show = ({ atMs, ...rest }: NotificationSummary): string =>
  `${new Date(atMs).toISOString()} ${Object.values(rest).join(" ")}`;

test("[SI1] the replay of the document that ran gives the recorded notifications", async () => {
  const scenario = await openRealmScenario(plan());
  await scenario.pass(5 * minuteMs);
  scenario.set("critical", "web1!http");
  await scenario.pass(200 * minuteMs);
  scenario.set("ok", "web1!http");
  await scenario.pass(10 * minuteMs);
  scenario.set("critical", "web1");
  scenario.set("critical", "web1!http", "web1!disk");
  await scenario.pass(10 * minuteMs);
  scenario.set("ok", "web1");
  await scenario.pass(20 * minuteMs);
  const { fidelity, diff, counts } = await simulated(scenario, { ran: plan(), candidate: plan() });
  assert.ok(counts.recorded > 8, scenario.sent().join("\n"));
  assert.deepEqual([diff.saved, diff.added], [[], []]);
  assert.deepEqual([fidelity?.saved.map(show), fidelity?.added.map(show)], [[], []], scenario.sent().join("\n"));
});

const refs = ["gw", "web1", "web1!http", "web1!disk"];
type ScenarioEvent =
  | { readonly kind: "target"; readonly status: CheckStatus; readonly ref: string }
  | { readonly kind: "command"; readonly command: (nowMs: number) => Command };

const stickyAcknowledgement = (): Command => ({
  ...{ kind: "acknowledge_problem", refs, sticky: true, notify: true, comment: "mine" },
});
const fixedDowntime = (nowMs: number): Command => ({
  ...{ kind: "schedule_downtime", downtimes: [{ id: `d${nowMs}`, ref: "web1!http" }], comment: "disks" },
  ...{ startMs: nowMs + minuteMs, endMs: nowMs + 20 * minuteMs, shape: { kind: "fixed" } },
});

const timedMute = (nowMs: number): Command => ({
  ...{ kind: "set_contact_notifications", contact: "ann", enabled: false, untilMs: nowMs + 20 * minuteMs },
});

const eventLists: fc.Arbitrary<readonly [ScenarioEvent, number][]> = fc.array(
  fc.tuple(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant("target" as const),
          status: fc.constantFrom<CheckStatus>("ok", "ok", "warning", "critical"),
          ref: fc.constantFrom(...refs),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("command" as const),
          command: fc.constantFrom<(nowMs: number) => Command>(
            stickyAcknowledgement,
            () => ({ kind: "acknowledge_problem", refs, sticky: false, notify: false, comment: "" }),
            () => ({ kind: "remove_acknowledgement", refs }),
            () => ({ kind: "send_custom_notification", refs: ["web1!http"], comment: "look" }),
            fixedDowntime,
            () => ({ kind: "set_object_notifications", refs: ["web1!disk"], enabled: false }),
            () => ({ kind: "set_object_notifications", refs: ["web1!disk"], enabled: true }),
            () => ({ kind: "set_contact_notifications", contact: "ann", enabled: false }),
            () => ({ kind: "set_contact_notifications", contact: "ann", enabled: true }),
            timedMute,
          ),
        }),
      },
    ),
    fc.integer({ min: 1, max: 90 }),
  ),
  { minLength: 1, maxLength: 12 },
);

type TimedEvent = readonly [event: ScenarioEvent, minutes: number];

/**
 * Replays the span from `share` of 70 % of a scenario on, with the same document: it must give what was recorded. As
 * with real checks, and commands of people, no two events have the same time: the replay does not know which was first.
 */
async function assertReplayIsRecord(all: readonly TimedEvent[], share: number): Promise<void> {
  let checks = 0;
  const scenario = await openRealmScenario(plan(), () => 3 + (checks++ % 8));
  const startMs = scenario.clock.now();
  await scenario.pass(3 * minuteMs);
  for (const [event, minutes] of all) {
    if (event.kind === "target") scenario.set(event.status, event.ref);
    else await scenario.command(event.command(scenario.clock.now()));
    await scenario.pass(minutes * minuteMs + 137);
  }
  const sinceMs = startMs + share * 0.7 * (scenario.clock.now() - startMs);
  const { diff, fidelity } = await simulated(scenario, { ran: plan(), candidate: plan(), sinceMs });
  assert.deepEqual([diff.saved, diff.added], [[], []]);
  const unlike = [fidelity?.saved.map(show), fidelity?.added.map(show)];
  assert.deepEqual(unlike, [[], []], scenario.history.map((h) => JSON.stringify(h)).join("\n"));
}

test("[SI1] an unchanged document has no difference, and its replay gives the recorded notifications", async () => {
  await fc.assert(fc.asyncProperty(eventLists, fc.double({ min: 0, max: 1, noNaN: true }), assertReplayIsRecord), {
    numRuns: Number(process.env["RUNS"] ?? 6),
    endOnFailure: true,
  });
});

const target = (status: CheckStatus, ref: string): ScenarioEvent => ({ kind: "target", status, ref });

test("[SI1, SI3] a problem that was suppressed at the start of the span, and notified in it, is notified", () =>
  assertReplayIsRecord(
    [
      [target("critical", "web1"), 1],
      [target("critical", "web1!disk"), 1],
      [target("ok", "web1"), 1],
      [{ kind: "command", command: stickyAcknowledgement }, 1],
    ],
    0.8701987350360066,
  ));

test("[SI1, SI3] a renotification that a downtime skipped before the span is not made up for", () =>
  assertReplayIsRecord(
    [
      [target("critical", "web1!http"), 102],
      [{ kind: "command", command: fixedDowntime }, 66],
      [{ kind: "command", command: stickyAcknowledgement }, 8],
    ],
    0.9976057461928611,
  ));

/** The candidate notifies ann every hour instead of every 30 minutes. */
const hourly = { policies: new Map([["all", { period: "", levels: [level("ann", 2, 60), level("bea", 0, 60)] }]]) };

test("[SI1, SI2] the notifications that a candidate saves and adds are listed", async () => {
  const scenario = await openRealmScenario(plan());
  await scenario.pass(5 * minuteMs);
  scenario.set("critical", "web1!http");
  await scenario.pass(150 * minuteMs);
  const { diff } = await simulated(scenario, { ran: plan(), candidate: plan(hourly) });
  const minutes = (notifications: readonly NotificationSummary[]) => {
    const firstMs = Math.min(...diff.same.map(({ a }) => a.atMs));
    return notifications.map(
      ({ atMs, ref, contact }) => `${Math.round((atMs - firstMs) / minuteMs)} ${ref} ${contact}`,
    );
  };
  // Before: ann at 0 and 30, bea at 60 and 120. With the candidate: ann at 0 and 60, bea at 120.
  const both = (line: string) => [`${line.replace("*", "process:shop")}`, `${line.replace("*", "web1!http")}`];
  assert.deepEqual(minutes(diff.saved), [...both("30 * ann"), ...both("60 * bea")]);
  assert.deepEqual(minutes(diff.added), both("60 * ann"));
});

test("[SI3] notifications from before the span are not repeated, and escalation goes on", async () => {
  const scenario = await openRealmScenario(plan());
  const beganMs = scenario.clock.now();
  scenario.set("critical", "web1!http");
  await scenario.pass(45 * minuteMs);
  const before = scenario.sent().length;
  await scenario.pass(60 * minuteMs);
  const order = { ran: plan(), candidate: plan(), sinceMs: beganMs + 45 * minuteMs };
  const { counts, fidelity } = await simulated(scenario, order);
  assert.equal(counts.old, scenario.sent().length - before);
  assert.deepEqual([fidelity?.saved, fidelity?.added], [[], []]);
});

test("[SI4] with more attempts a short problem is not notified, and a long one is notified later", async () => {
  const scenario = await openRealmScenario(plan());
  await scenario.pass(5 * minuteMs);
  scenario.set("critical", "web1!disk");
  await scenario.pass(2 * minuteMs);
  scenario.set("ok", "web1!disk");
  await scenario.pass(10 * minuteMs);
  scenario.set("critical", "web1!http");
  await scenario.pass(20 * minuteMs);
  const { diff } = await simulated(scenario, { ran: plan(), candidate: plan({}, 13) });
  const kinds = (notifications: readonly NotificationSummary[]) =>
    notifications.filter(({ ref }) => ref.startsWith("web1")).map((t) => `${t.kind} ${t.ref}`);
  assert.deepEqual(kinds(diff.saved), ["PROBLEM web1!disk", "RECOVERY web1!disk", "PROBLEM web1!http"]);
  assert.deepEqual(kinds(diff.added), ["PROBLEM web1!http"]);
  const at = (notifications: readonly NotificationSummary[]): number =>
    notifications.find(({ ref }) => ref === "web1!http")?.atMs ?? 0;
  // Ten more attempts, 15 s apart.
  assert.equal(Math.round((at(diff.added) - at(diff.saved)) / 15_000), 10);
});

test("[SI5] with flap thresholds that are never reached every problem is notified", async () => {
  const scenario = await openRealmScenario(plan());
  await scenario.pass(5 * minuteMs);
  for (let n = 0; n < 8; n += 1) {
    scenario.set(n % 2 === 0 ? "critical" : "ok", "web1!http");
    await scenario.pass((n % 2 === 0 ? 2 : 1) * minuteMs);
  }
  await scenario.pass(30 * minuteMs);
  const calm = plan();
  const never = new Map(
    [...calm.objects].map(([ref, one]) => [ref, { ...one, flap: { ...flap, highThreshold: 0.99 } }] as const),
  );
  const { diff, fidelity } = await simulated(scenario, { ran: plan(), candidate: { ...calm, objects: never } });
  assert.deepEqual([fidelity?.saved.map(show), fidelity?.added.map(show)], [[], []]);
  const of = (notifications: readonly NotificationSummary[]) =>
    notifications.filter(({ ref }) => ref === "web1!http").map(({ kind }) => kind);
  assert.ok(of(diff.saved).includes("FLAPPING_START"), scenario.sent().join("\n"));
  assert.ok(of(diff.added).includes("PROBLEM"), of(diff.added).join());
});

test("objects that only one document or the record has are listed", async () => {
  const scenario = await openRealmScenario(plan());
  await scenario.pass(5 * minuteMs);
  const other = plan();
  const objects = new Map([...other.objects].filter(([ref]) => ref !== "web1!disk"));
  objects.set("db1", host("db1"));
  const { gone, unknown } = await simulated(scenario, { ran: plan(), candidate: { ...other, objects } });
  assert.deepEqual([gone, unknown], [["web1!disk"], ["db1"]]);
});

test("a directory without a journal gives an error that says so", async () => {
  const read = await withJournal(folder, () => ({ ok: true, value: 1 }));
  assert.match(read.ok ? "" : read.error, /holds no journal: is it an agent's -data-dir\?/);
});
