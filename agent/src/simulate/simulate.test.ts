import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Command } from "@realmwatch/shared/model/command";
import type { CheckStatus } from "@realmwatch/shared/model/status";
import fc from "fast-check";
import { realmPlan } from "../realm/fixtures/realm-plan.fixture.ts";
import { process as businessProcess, host, service } from "../realm/fixtures/test-realm.fixture.ts";
import type { NotificationSummary } from "./notification-summary.ts";
import { readRecording, withJournal } from "./read-recording.ts";
import { openRealmScenario } from "./recorded-realm.fixture.ts";
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
  ...{ contacts: [name], threshold, renotifyIntervalMs: minutes * minuteMs, disabledKinds: [], period: "" },
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

type Story = Awaited<ReturnType<typeof openRealmScenario>>;

async function simulated(story: Story, order: { ran?: RealmPlan; candidate: RealmPlan; sinceMs?: number }) {
  folders += 1;
  const dataDir = join(folder, `${folders}`);
  await story.write(dataDir);
  const { ran, candidate, sinceMs = 0 } = order;
  const plans = [ran, candidate].filter((one) => one !== undefined);
  const recording = await withJournal(dataDir, (view) =>
    readRecording(view, { sinceMs, nowMs: story.clock.now(), plans }),
  );
  assert.ok(recording.ok, JSON.stringify(recording));
  return simulate({ recording: recording.value, candidate, ran, toleranceMs: 2 * minuteMs });
}

const show = ({ atMs, ...told }: NotificationSummary): string =>
  `${new Date(atMs).toISOString()} ${Object.values(told).join(" ")}`;

test("[SI1] the document that ran, rehearsed, tells what was recorded", async () => {
  const story = await openRealmScenario(plan());
  await story.pass(5 * minuteMs);
  story.set("critical", "web1!http");
  await story.pass(200 * minuteMs);
  story.set("ok", "web1!http");
  await story.pass(10 * minuteMs);
  story.set("critical", "web1");
  story.set("critical", "web1!http", "web1!disk");
  await story.pass(10 * minuteMs);
  story.set("ok", "web1");
  await story.pass(20 * minuteMs);
  const { fidelity, diff, counts } = await simulated(story, { ran: plan(), candidate: plan() });
  assert.ok(counts.recorded > 8, story.sent().join("\n"));
  assert.deepEqual([diff.saved, diff.added], [[], []]);
  assert.deepEqual([fidelity?.saved.map(show), fidelity?.added.map(show)], [[], []], story.sent().join("\n"));
});

const refs = ["gw", "web1", "web1!http", "web1!disk"];
type Happening =
  | { readonly kind: "world"; readonly status: CheckStatus; readonly ref: string }
  | { readonly kind: "command"; readonly command: (nowMs: number) => Command };

const happenings: fc.Arbitrary<readonly [Happening, number][]> = fc.array(
  fc.tuple(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constant("world" as const),
          status: fc.constantFrom<CheckStatus>("ok", "ok", "warning", "critical"),
          ref: fc.constantFrom(...refs),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("command" as const),
          command: fc.constantFrom<(nowMs: number) => Command>(
            () => ({ kind: "acknowledge_problem", refs, sticky: true, notify: true, comment: "mine" }),
            () => ({ kind: "acknowledge_problem", refs, sticky: false, notify: false, comment: "" }),
            () => ({ kind: "remove_acknowledgement", refs }),
            () => ({ kind: "send_custom_notification", refs: ["web1!http"], comment: "look" }),
            (nowMs) => ({
              ...{ kind: "schedule_downtime", downtimes: [{ id: `d${nowMs}`, ref: "web1!http" }], comment: "disks" },
              ...{ startMs: nowMs + minuteMs, endMs: nowMs + 20 * minuteMs, shape: { kind: "fixed" } },
            }),
            () => ({ kind: "set_object_notifications", refs: ["web1!disk"], enabled: false }),
            () => ({ kind: "set_object_notifications", refs: ["web1!disk"], enabled: true }),
            () => ({ kind: "set_contact_notifications", contact: "ann", enabled: false }),
            () => ({ kind: "set_contact_notifications", contact: "ann", enabled: true }),
          ),
        }),
      },
    ),
    fc.integer({ min: 1, max: 90 }),
  ),
  { minLength: 1, maxLength: 12 },
);

test("[SI1] whatever happened: unchanged there is no difference, and the rehearsal is the record", async () => {
  await fc.assert(
    fc.asyncProperty(happenings, fc.double({ min: 0, max: 1, noNaN: true }), async (all, share) => {
      const story = await openRealmScenario(plan());
      const beganMs = story.clock.now();
      await story.pass(3 * minuteMs);
      for (const [happening, minutes] of all) {
        if (happening.kind === "world") story.set(happening.status, happening.ref);
        else await story.command(happening.command(story.clock.now()));
        await story.pass(minutes * minuteMs);
      }
      const sinceMs = beganMs + share * 0.7 * (story.clock.now() - beganMs);
      const { diff, fidelity } = await simulated(story, { ran: plan(), candidate: plan(), sinceMs });
      assert.deepEqual([diff.saved, diff.added], [[], []]);
      const unlike = [fidelity?.saved.map(show), fidelity?.added.map(show)];
      assert.deepEqual(unlike, [[], []], story.history.map((h) => JSON.stringify(h)).join("\n"));
    }),
    { numRuns: Number(process.env["RUNS"] ?? 6) },
  );
});

/** The candidate makes ann hear of it every hour instead of every 30 minutes. */
const hourly = { policies: new Map([["all", { period: "", levels: [level("ann", 2, 60), level("bea", 0, 60)] }]]) };

test("[SI1, SI2] what a candidate saves and adds is told, message by message", async () => {
  const story = await openRealmScenario(plan());
  await story.pass(5 * minuteMs);
  story.set("critical", "web1!http");
  await story.pass(150 * minuteMs);
  const { diff } = await simulated(story, { ran: plan(), candidate: plan(hourly) });
  const minutes = (told: readonly NotificationSummary[]) => {
    const firstMs = Math.min(...diff.same.map(({ a }) => a.atMs));
    return told.map(({ atMs, ref, contact }) => `${Math.round((atMs - firstMs) / minuteMs)} ${ref} ${contact}`);
  };
  // Before: ann at 0 and 30, bea at 60 and 120. With the candidate: ann at 0 and 60, bea at 120.
  const both = (line: string) => [`${line.replace("*", "process:shop")}`, `${line.replace("*", "web1!http")}`];
  assert.deepEqual(minutes(diff.saved), [...both("30 * ann"), ...both("60 * bea")]);
  assert.deepEqual(minutes(diff.added), both("60 * ann"));
});

test("[SI3] what people knew at the beginning of the span is not told again, and escalation goes on", async () => {
  const story = await openRealmScenario(plan());
  const beganMs = story.clock.now();
  story.set("critical", "web1!http");
  await story.pass(45 * minuteMs);
  const before = story.sent().length;
  await story.pass(60 * minuteMs);
  const order = { ran: plan(), candidate: plan(), sinceMs: beganMs + 45 * minuteMs };
  const { counts, fidelity } = await simulated(story, order);
  assert.equal(counts.old, story.sent().length - before);
  assert.deepEqual([fidelity?.saved, fidelity?.added], [[], []]);
});

test("[SI4] with more attempts a short problem is told to nobody, and a long one later", async () => {
  const story = await openRealmScenario(plan());
  await story.pass(5 * minuteMs);
  story.set("critical", "web1!disk");
  await story.pass(2 * minuteMs);
  story.set("ok", "web1!disk");
  await story.pass(10 * minuteMs);
  story.set("critical", "web1!http");
  await story.pass(20 * minuteMs);
  const { diff } = await simulated(story, { ran: plan(), candidate: plan({}, 13) });
  const kinds = (told: readonly NotificationSummary[]) =>
    told.filter(({ ref }) => ref.startsWith("web1")).map((t) => `${t.kind} ${t.ref}`);
  assert.deepEqual(kinds(diff.saved), ["PROBLEM web1!disk", "RECOVERY web1!disk", "PROBLEM web1!http"]);
  assert.deepEqual(kinds(diff.added), ["PROBLEM web1!http"]);
  const at = (told: readonly NotificationSummary[]): number => told.find(({ ref }) => ref === "web1!http")?.atMs ?? 0;
  // Ten more attempts, 15 s apart.
  assert.equal(Math.round((at(diff.added) - at(diff.saved)) / 15_000), 10);
});

test("[SI5] thresholds that are never reached let every problem out", async () => {
  const story = await openRealmScenario(plan());
  await story.pass(5 * minuteMs);
  for (let n = 0; n < 8; n += 1) {
    story.set(n % 2 === 0 ? "critical" : "ok", "web1!http");
    await story.pass((n % 2 === 0 ? 2 : 1) * minuteMs);
  }
  await story.pass(30 * minuteMs);
  const calm = plan();
  const never = new Map(
    [...calm.objects].map(([ref, one]) => [ref, { ...one, flap: { ...flap, highThreshold: 0.99 } }] as const),
  );
  const { diff, fidelity } = await simulated(story, { ran: plan(), candidate: { ...calm, objects: never } });
  assert.deepEqual([fidelity?.saved.map(show), fidelity?.added.map(show)], [[], []]);
  const of = (told: readonly NotificationSummary[]) =>
    told.filter(({ ref }) => ref === "web1!http").map(({ kind }) => kind);
  assert.ok(of(diff.saved).includes("FLAPPING_START"), story.sent().join("\n"));
  assert.ok(of(diff.added).includes("PROBLEM"), of(diff.added).join());
});

test("objects that only one side knows are named", async () => {
  const story = await openRealmScenario(plan());
  await story.pass(5 * minuteMs);
  const other = plan();
  const objects = new Map([...other.objects].filter(([ref]) => ref !== "web1!disk"));
  objects.set("db1", host("db1"));
  const { gone, unknown } = await simulated(story, { ran: plan(), candidate: { ...other, objects } });
  assert.deepEqual([gone, unknown], [["web1!disk"], ["db1"]]);
});

test("a directory without a journal is told as such", async () => {
  const read = await withJournal(folder, () => ({ ok: true, value: 1 }));
  assert.match(read.ok ? "" : read.error, /holds no journal: is it an agent's -data-dir\?/);
});
