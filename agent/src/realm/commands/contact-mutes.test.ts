import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "@realmwatch/shared/commands/commands";
import { realmPlan } from "../fixtures/realm-plan.fixture.ts";
import { host, notifiesAnn, openTestRealm } from "../fixtures/test-realm.fixture.ts";
import { realmCatalog } from "../outputs/realm-catalog.ts";

const plan = realmPlan([host("web")], notifiesAnn);
const minuteMs = 60_000;

type SetContact = Omit<Extract<Command, { kind: "set_contact_notifications" }>, "kind" | "contact">;
const set = (fields: SetContact): Command => ({ kind: "set_contact_notifications", contact: "ann", ...fields });

type Realm = Awaited<ReturnType<typeof openTestRealm>>;
async function open(...[stored, atMs]: [stored?: ReturnType<Realm["stored"]>, atMs?: number]): Promise<Realm> {
  const it = await openTestRealm(plan, stored, atMs);
  it.start();
  return it;
}
const toggles = ({ history }: Pick<Realm, "history">): string[] =>
  history
    .filter(({ type }) => type === "toggle")
    .map(({ author, contact, output, comment = "" }) => `${author} ${contact}: ${output} (${comment})`);
const muteOf = ({ realm }: Realm) => {
  const { notificationsEnabled, mutedBy, mutedComment, mutedAtMs, mutedUntilMs } =
    realmCatalog(realm).contacts[0] ?? {};
  return [notificationsEnabled, mutedBy, mutedComment, mutedAtMs, mutedUntilMs];
};
const noMute = [true, "", "", undefined, undefined];

/** Effects of a series of commands in one minute: records of history, and comment and end of the mute. */
const rows: readonly [
  rule: string,
  commands: readonly SetContact[],
  records: number,
  comment: string,
  ends: boolean,
][] = [
  ["a mute without reason and end", [{ enabled: false }], 1, "", false],
  ["the same mute again is not recorded", [{ enabled: false }, { enabled: false }], 1, "", false],
  ["a mute with another reason replaces it", [{ enabled: false }, { enabled: false, comment: "ill" }], 2, "ill", false],
  [
    "a mute with another end replaces it",
    [
      { enabled: false, comment: "ill" },
      { enabled: false, comment: "ill", untilMs: Date.parse("2100-01-01T00:00Z") },
    ],
    2,
    "ill",
    true,
  ],
  ["the end of no mute is not recorded", [{ enabled: true }], 0, "", false],
];
for (const [rule, commands, records, comment, ends] of rows)
  test(`[TG4] ${rule}`, async () => {
    const it = await open();
    for (const fields of commands) await it.command(set(fields));
    assert.equal(toggles(it).length, records);
    const mute = it.realm.program.mutes[0];
    assert.deepEqual([mute?.comment ?? "", mute?.untilMs !== undefined], [comment, ends]);
  });

test("[TG4, RE5] a muted contact is not notified, its undoing notifies an open problem, and history has both", async () => {
  const it = await open();
  const atMs = it.clock.now();
  await it.command(set({ enabled: false, comment: "pager is broken" }));
  assert.deepEqual(muteOf(it), [false, "ann", "pager is broken", atMs, undefined]);
  await it.send("web", "critical");
  assert.deepEqual(it.notified, []);
  assert.equal(it.rows.get("web")?.notification?.because?.reason, "contact_off");
  await it.command(set({ enabled: true, comment: "repaired" }));
  assert.deepEqual(it.notified, ["PROBLEM web"]);
  assert.deepEqual(muteOf(it), noMute);
  assert.deepEqual(toggles(it), [
    "ann ann: notifications of contact ann off (pager is broken)",
    "ann ann: notifications of contact ann on (repaired)",
  ]);
});

test("[TG5] a mute ends at its end, and a problem that waited is notified then", async () => {
  const it = await open();
  const untilMs = it.clock.now() + 10 * minuteMs;
  await it.command(set({ enabled: false, comment: "holiday", untilMs }));
  await it.send("web", "critical");
  const because = it.rows.get("web")?.notification?.because;
  assert.deepEqual([because?.name, because?.untilMs], ["ann", untilMs]);
  it.clock.advance(10 * minuteMs - 1);
  await it.settle();
  assert.deepEqual(it.notified, []);
  it.clock.advance(1);
  await it.settle();
  assert.deepEqual(it.notified, ["PROBLEM web"]);
  assert.deepEqual(muteOf(it), noMute);
  assert.equal(toggles(it).at(-1), "realmwatch ann: notifications of contact ann on (expired)");
});

test("[TG5] over a restart a mute keeps its reason and end, and one that ended meanwhile expires at the start", async () => {
  const it = await open();
  const untilMs = it.clock.now() + 10 * minuteMs;
  await it.command(set({ enabled: false, comment: "holiday", untilMs }));
  await it.send("web", "critical");
  const stored = it.stored();
  const early = await open(stored, untilMs - minuteMs);
  assert.deepEqual(muteOf(early), muteOf(it));
  early.clock.advance(minuteMs);
  await early.settle();
  const late = await open(stored, untilMs + minuteMs);
  await late.settle();
  for (const restarted of [early, late]) {
    assert.deepEqual(muteOf(restarted), noMute);
    assert.deepEqual(toggles(restarted), ["realmwatch ann: notifications of contact ann on (expired)"]);
    assert.deepEqual(restarted.notified, ["PROBLEM web"]);
  }
});
