import assert from "node:assert/strict";
import { test } from "node:test";
import {
  activeFacts,
  activeStory,
  inSyncStory,
  MemberStory,
  otherFacts,
  otherLease,
  ownLease,
  readingOf,
  syncedMark,
  syncedWith,
} from "./member-story.fixture.ts";
import { rightRemainingMs } from "./right.ts";

test("[PA8] an active member makes a lost lease anew with a promise, and not without one", () => {
  for (const [reading, on] of [
    [readingOf(undefined, 0), 0],
    [readingOf(undefined, 0, "s2"), 0],
    [readingOf({ ...otherLease, term: 5 }, 1), 1],
  ] as const) {
    const story = inSyncStory();
    story.pass(10_000);
    story.happens({ kind: "tick" });
    story.writes({ kind: "conflict" });
    story.forget();
    story.reads(reading);
    assert.deepEqual(story.sent, [`alone on ${on}`]);
    story.writes({ kind: "written", seq: 9 });
    assert.deepEqual([story.member.mark.stream, story.member.mark.seq], [reading.stream, 9]);
    const alone = activeStory();
    alone.pass(10_000);
    alone.happens({ kind: "tick" });
    alone.writes({ kind: "conflict" });
    alone.forget();
    alone.reads(reading);
    alone.watches(reading, 60_000);
    assert.deepEqual(alone.sent, []);
    assert.deepEqual([alone.status.role, alone.status.needsPerson], ["held", true]);
  }
});

test("[PA8] a standby learns from the active member that the lease was made anew", () => {
  const story = new MemberStory(syncedMark);
  story.hears({ ...activeFacts, mark: { ...activeFacts.mark, stream: "s2", seq: 1 } });
  assert.deepEqual([story.member.mark.stream, story.member.mark.seq], ["s2", 1]);
});

test("[PA11] a switch ends the duty, waits for the standby, says goodbye, and is answered by the new active member", () => {
  const story = inSyncStory();
  story.happens({ kind: "switchRequested" });
  assert.equal(story.facts.givingUp, "switch");
  story.happens({ kind: "dutyStopped", position: 13 });
  assert.deepEqual(story.sent, []);
  story.reports(13, 13);
  assert.deepEqual(story.sent, ["in sync, goodbye on 2"]);
  assert.equal(rightRemainingMs(story.member, story.time), 0, "the goodbye may be read before its answer");
  story.writes({ kind: "written", seq: 3 });
  story.hears({ ...activeFacts, mark: { ...activeFacts.mark, term: story.member.mark.term + 1 } });
  assert.deepEqual(story.actions.at(-1)?.kind === "readLease", false);
  assert.ok(story.actions.some((action) => action.kind === "answerSwitch" && action.answer.ok));
});

test("[PA11] a switch whose standby goes away is given up: the member goes on in a new term", () => {
  const story = inSyncStory();
  const { term } = story.status;
  story.happens({ kind: "switchRequested" });
  story.happens({ kind: "linkLost", why: "reset" });
  story.happens({ kind: "dutyStopped", position: 13 });
  story.pass(5_000);
  story.happens({ kind: "tick" });
  story.writes({ kind: "written", seq: 3 });
  story.happens({ kind: "tick" });
  assert.ok(story.actions.some((action) => action.kind === "answerSwitch" && !action.answer.ok));
  story.reads(readingOf(ownLease(story), 3));
  assert.equal(story.member.phase.kind === "claiming" && story.member.phase.term > term, true);
});

test("[PA11] a member that is stopped says goodbye, and ends when that is written", () => {
  const story = activeStory();
  story.happens({ kind: "stopRequested" });
  story.happens({ kind: "dutyStopped", position: 13 });
  assert.deepEqual(story.sent, ["alone, goodbye on 1"]);
  story.writes({ kind: "written", seq: 2 });
  assert.equal(story.kinds().at(-1), "exit");
});

for (const [why, request] of [
  ["switch", "switchRequested"],
  ["stop", "stopRequested"],
] as const)
  test(`[PA17] a ${why} whose lease is gone makes it anew with the promise that is left, before its goodbye`, () => {
    const story = inSyncStory();
    story.happens({ kind: request });
    story.happens({ kind: "dutyStopped", position: 12 });
    assert.deepEqual(story.sent, ["in sync, goodbye on 2"]);
    story.writes({ kind: "conflict" });
    assert.equal(story.facts.active, true, "the goodbye is not written");
    story.reads(readingOf(undefined, 0, "s2"));
    story.writes({ kind: "written", seq: 1 });
    story.writes({ kind: "written", seq: 2 });
    assert.deepEqual(story.sent.slice(1), ["alone on 0", "in sync on 1", "in sync, goodbye on 2"]);
    assert.equal(rightRemainingMs(story.member, story.time), 0);
  });

test("[PA17] a refused goodbye gives the right back only when no earlier one may be written", () => {
  const story = inSyncStory();
  story.happens({ kind: "switchRequested" });
  story.happens({ kind: "dutyStopped", position: 12 });
  story.writes({ kind: "unknown", why: "no answer" });
  story.reads(readingOf({ ...ownLease(story), goodbye: false }, 2));
  story.writes({ kind: "conflict" });
  assert.equal(rightRemainingMs(story.member, story.time), 0);
  story.reads(readingOf(undefined, 0, "s2"));
  assert.deepEqual(story.sent, ["in sync, goodbye on 2", "in sync, goodbye on 2"]);
});

test("[PA8] an active member that goes on by promises says why it has no lease", () => {
  const story = inSyncStory();
  story.pass(40_000);
  story.hears(syncedWith(story), true);
  story.pass(6_000);
  story.reads("NATS has no stream SVC_LEASE");
  assert.deepEqual(
    [story.status.role, story.status.reason],
    ["active", "the lease cannot be renewed: NATS has no stream SVC_LEASE"],
  );
});

test("[PA13] a duty that fails is tried again in a new term, or handed to a standby in sync", () => {
  const alone = activeStory();
  const { term } = alone.status;
  alone.happens({ kind: "dutyFailed", why: "the disk is full" });
  alone.reads(readingOf({ ...otherLease, member: "fra-a", instance: "a1", term, inSync: false }, 1));
  assert.match(alone.status.reason, /the disk is full/);
  alone.watches(readingOf({ ...otherLease, member: "fra-a", instance: "a1", term, inSync: false }, 1), 12_000);
  assert.equal(alone.member.phase.kind, "claiming");
  const pair = inSyncStory();
  pair.reports(12, 12);
  pair.happens({ kind: "dutyFailed", why: "the disk is full" });
  assert.deepEqual(pair.sent, ["in sync, goodbye on 2"]);
});

test("[PA14] a member of another version or lease takes its own lease back once that has ended", () => {
  for (const change of [{ schema: 2 }, { link: 2 }, { leaseMs: 9_000 }]) {
    const story = new MemberStory(syncedMark);
    story.hears({ ...otherFacts, ...change });
    assert.equal(story.status.role, "refused");
    const own = { ...otherLease, member: "fra-a", instance: "a0", term: syncedMark.syncedTerm };
    story.reads(readingOf(own, 7));
    assert.deepEqual(story.sent, []);
    story.watches(readingOf(own, 7), 60_000);
    assert.equal(story.member.phase.kind, "claiming");
  }
});

test("[PA14] a peer of another pair makes a following member refuse to take part, and changes nothing at an active one", () => {
  for (const [change, why] of [
    [{ instance: "a1" }, /leads to this member itself/],
    [{ realm: "ams" }, /realm of fra-b is ams/],
    [{ member: "fra-a" }, /both members are named fra-a/],
    [{ leaseMs: 9_000 }, /-pair-lease/],
    [{ schema: 2 }, /schema version 2/],
    [{ link: 2 }, /link of \S+ has version 2, and that of \S+ has 1/],
  ] as const) {
    const story = new MemberStory(syncedMark);
    story.hears({ ...otherFacts, ...change });
    assert.equal(story.status.role, "refused");
    assert.match(story.status.reason, why);
    story.reads(readingOf(otherLease, 7));
    story.watches(readingOf(otherLease, 7), 60_000);
    assert.deepEqual(story.sent, []);
    const active = inSyncStory();
    active.hears({ ...otherFacts, ...change });
    assert.equal(active.status.role, "active");
  }
});

test("[PA14] a third member is refused by the pair, and a refused member takes over from none", () => {
  const story = new MemberStory(syncedMark);
  story.hears(activeFacts);
  story.hears({ ...otherFacts, member: "fra-c", instance: "c1" });
  assert.equal(story.status.role, "standby");
  story.happens({ kind: "refused", why: "fra-a is a third member: the pair is fra-b and fra-c" });
  assert.equal(story.status.role, "refused");
});

test("[PA15] after a lease without an answer the member reads, and counts the right from before it was sent", () => {
  const story = activeStory();
  story.pass(10_000);
  story.happens({ kind: "tick" });
  const sentAt = story.time;
  const lease = ownLease(story);
  story.pass(3_000);
  story.writes({ kind: "unknown", why: "no answer" }, sentAt);
  assert.equal(story.kinds().at(-1), "readLease");
  story.forget();
  story.pass(1_000);
  story.reads(readingOf(lease, 2));
  assert.equal(rightRemainingMs(story.member, story.time), 41_000);
});

test("[PA15] a reading that was asked for before the last answer to a lease says nothing", () => {
  const story = inSyncStory();
  const asked = story.time;
  story.pass(10_000);
  story.happens({ kind: "tick" });
  story.writes({ kind: "written", seq: 3 });
  story.reads(readingOf(ownLease(story), 2), asked);
  assert.equal(story.member.phase.kind === "active" && story.member.phase.leaseProblem, "");
});

test("[PA16] a member whose right has ended reads, then renews at once alone, and after lease and margin where it was in sync", () => {
  const alone = activeStory();
  alone.pass(60_000);
  alone.happens({ kind: "tick" });
  assert.deepEqual(alone.sent, []);
  const { term: aloneTerm } = alone.status;
  alone.reads(readingOf({ ...otherLease, member: "fra-a", instance: "a1", term: aloneTerm, inSync: false }, 1));
  assert.deepEqual(alone.sent, ["alone on 1"]);
  const pair = inSyncStory();
  const { term } = pair.status;
  const lease = readingOf({ ...otherLease, member: "fra-a", instance: "a1", term }, 2);
  pair.pass(60_000);
  pair.reads(lease);
  pair.watches(lease, 53_000);
  assert.deepEqual(pair.sent, []);
  pair.watches(lease, 2_000);
  assert.deepEqual(pair.sent, ["alone on 2"]);
});

test("[PA15] a takeover without an answer that was written begins with a lease that is sent anew", () => {
  const story = new MemberStory(syncedMark);
  story.reads(readingOf(otherLease, 7));
  story.watches(readingOf(otherLease, 7), 56_000);
  const lease = ownLease(story);
  story.writes({ kind: "unknown", why: "no answer" });
  story.pass(1_000);
  story.reads(readingOf(lease, 8));
  assert.deepEqual(story.sent, ["alone on 7", "alone on 8"]);
  assert.equal(story.kinds().includes("startDuty"), false);
  story.writes({ kind: "written", seq: 9 });
  assert.ok(story.kinds().includes("startDuty"));
});
