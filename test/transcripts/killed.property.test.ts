import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import fc from "fast-check";
import { parseTranscript } from "./transcript-file.ts";
import { runTranscript } from "./run-transcript.ts";

const realm = `
timezone: "UTC"
timeperiods: late: ranges: monday: "08:40-10:00,11:00-13:00"
timeperiods: early: ranges: monday: "08:00-09:15,10:30-12:00"
contacts: bea: notification_period: "late"
notifications: ops: levels: [
	{contacts: ["ann", "bea"], threshold: 1, renotify_interval: "7m"},
	{contacts: ["bea"], threshold: 2, renotify_interval: "11m", period: "early", disabled_kinds: ["STATUS_CHANGE"]},
	{contacts: ["boss"], renotify_interval: "0s"},
]
notifications: late: {period: "late", levels: [{contacts: ["ann"], renotify_interval: "20m"}]}
dependencies: gate: {dependents: [{ref: "web1!http"}], on: {ref: "gate"}, fails_on: ["critical"], period: "early"}
dependencies: shop: {dependents: [{ref: "web1!ftp"}], on: {ref: "process:shop"}, fails_on: ["critical"], suppress: "problems"}
downtimes: backup: {selector: "app=db", scope: "service", period: "early"}
processes: shop: {notification: "late", rule: any: [{ref: "web1!http"}, {ref: "web1!db"}], ignore: ["downtime", "acknowledged"]}
#flaps: #passive & {max_attempts: 2, flap: {enabled: true, alpha: 0.4, high_threshold: 0.6, low_threshold: 0.3}}
hosts: gate: {check: #believed, notification: "late"}
hosts: web1: {
	parents: ["gate"], check: #passive & {max_attempts: 2}
	services: {
		http: check: #flaps
		ftp: {check: #believed, notification: "late"}
		db: {check: #passive & {freshness_threshold: "25m", max_attempts: 2}, labels: app: "db"}
		live: check: max_attempts: 2
	}
}
`;

const prelude = readFileSync(join(import.meta.dirname, "prelude.cue"), "utf8");
const loader = openLoader(systemClock);
let plan: RealmPlan;
before(async () => {
  const source = { kind: "text", text: `${prelude}\n${realm}\n`, name: "killed.cue" } as const;
  const loaded = await loader.plan({ source, options: { realm: "fra", localZone: "UTC" } });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  plan = loaded.value.value;
});
after(() => loader.close());

const refs = ["gate", "web1", "web1!http", "web1!ftp", "web1!db"] as const;
const ref = fc.constantFrom(...refs);
const owned = fc.constantFrom(...refs, "process:shop");
const status = fc.constantFrom("ok", "ok", "warning", "critical", "critical", "unknown");
const on = fc.constantFrom("on", "off");
const minutes = fc.integer({ min: 1, max: 40 });
const acts: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(ref, status).map(([to, as]) => `submit ${to} ${as}: because`) },
  { weight: 5, arbitrary: minutes.map((span) => `advance ${span}m`) },
  fc
    .tuple(owned, fc.constantFrom("", " sticky", " and notify"), fc.constantFrom("", " until in 9m"))
    .map(([of, how, until]) => `acknowledge ${of}${how}${until} by carl "mine"`),
  owned.map((of) => `unacknowledge ${of} by carl`),
  fc
    .tuple(owned, minutes, minutes)
    .map(([of, from, span]) => `downtime ${of} from in ${from}m to in ${from + span}m by carl "repair"`),
  fc.tuple(ref, minutes).map(([of, span]) => `downtime ${of} from now to in ${span}m flexible for 9m by carl "maybe"`),
  fc.tuple(owned, minutes).map(([of, span]) => `downtime ${of} from now to in ${span}m triggered by n1 by carl "too"`),
  fc.tuple(owned, fc.integer({ min: 1, max: 4 })).map(([of, id]) => `delete downtime n${id} of ${of} by carl`),
  owned.map((of) => `notify ${of} by carl "hello"`),
  owned.map((of) => `comment ${of} by carl "hm"`),
  on.map((to) => `all notifications ${to}`),
  fc.tuple(owned, on).map(([of, to]) => `notifications of ${of} ${to}`),
  fc.tuple(fc.constantFrom("ann", "bea", "boss"), on).map(([who, to]) => `notifications of contact ${who} ${to}`),
  fc
    .tuple(fc.constantFrom("passiveChecks", "flapDetection", "eventHandlers"), on)
    .map(([what, to]) => `all ${what} ${to}`),
  fc
    .tuple(fc.constantFrom("passiveChecks", "flapDetection"), ref, on)
    .map(([what, of, to]) => `${what} of ${of} ${to}`),
);
/** Time passes in between: what happens to different objects in one instant has no order. */
const days = fc
  .array(acts, { minLength: 5, maxLength: 30 })
  .map((all) => all.flatMap((act) => [act, `advance ${act.length % 3}s 1ms`]));

const run = (told: readonly string[]) =>
  runTranscript(parseTranscript(["A day", "", "----", ...told.map((act) => `> ${act}`)].join("\n")), async () => plan);

/**
 * What counts. A start looks at everything once more, so it may name a reason that nobody had been told of yet; what
 * an active check says depends on its cadence, which a kill may shift. What different objects do in one instant has
 * no order.
 */
const linesOf = (happened: Awaited<ReturnType<typeof run>>): readonly string[] =>
  happened
    .flatMap(([{ text }, lines]) => [...(text === "restart" ? [] : [text]), ...lines.toSorted()])
    .filter((line) => !(line.includes(" not told: ") || line.includes(" web1!live: ")))
    .map((line) => (line.startsWith("  level ") ? line.replace(/: .*/, "") : line));

/**
 * What may be older in a state that a killed agent finds, where it changed nothing: of a process its quiet, of what is
 * silent how often that was said, of a check of ours its last look.
 */
const mayBeOlder: Readonly<Record<string, readonly string[]>> = {
  "process:shop": ["flap", "freshFromMs", "heardAtMs", "last"],
  "web1!db": ["last", "freshFromMs"],
  "web1!live": ["last", "nextCheckAtMs", "flap", "freshFromMs", "heardAtMs"],
};

test("a killed agent finds all that was decided, accepted and told", async () => {
  await fc.assert(
    fc.asyncProperty(days, async (told) => {
      const happened = await run(told.flatMap((act) => [act, "compare with what is kept"]));
      for (const [{ text }, lines] of happened) {
        if (!text.startsWith("compare")) continue;
        for (const line of lines) {
          const [of = "", parts = ""] = line.trim().split(": ");
          const lost = parts.split(", ").filter((part) => !mayBeOlder[of]?.includes(part));
          assert.deepEqual(lost, [], line);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("kills in between change nothing of what is told and seen", async () => {
  const rows = [...refs, "process:shop"].map((of) => `row ${of}`);
  await fc.assert(
    fc.asyncProperty(days, fc.array(fc.nat(2), { minLength: 40, maxLength: 40 }), async (told, kills) => {
      const undisturbed = await run([...told, ...rows, "advance 30m", ...rows]);
      const killed = told.flatMap((act, at) => (kills[at] === 0 ? [act, "restart"] : [act]));
      const disturbed = await run([...killed, "restart", ...rows, "advance 30m", ...rows]);
      const [was, is] = [linesOf(undisturbed), linesOf(disturbed)];
      assert.deepEqual(is, was);
    }),
    { numRuns: 60 },
  );
});
