import assert from "node:assert/strict";
import { test } from "node:test";
import {
  activeFacts,
  activeStory,
  inSyncStory,
  otherLease,
  ownLease,
  readingOf,
  syncedWith,
} from "./member-story.fixture.ts";
import { rightRemainingMs } from "./right.ts";

test("[PA1] the right counts from before the lease was sent, and ends by the clock alone", () => {
  const story = activeStory();
  story.pass(10_000);
  story.happens({ kind: "tick" });
  const sentAt = story.time;
  story.pass(4_000);
  story.writes({ kind: "written", seq: 2 }, sentAt);
  assert.equal(rightRemainingMs(story.member, story.time), 41_000);
  story.pass(41_000);
  assert.equal(rightRemainingMs(story.member, story.time), 0);
  assert.equal(story.status.role, "held");
});

test("[PA1] a promise counts from before the message that it answers, and prolongs the right", () => {
  const story = activeStory();
  const before = story.time;
  story.pass(5_000);
  story.hears(syncedWith(story), true, before);
  story.pass(39_000);
  assert.equal(rightRemainingMs(story.member, story.time), 1_000);
  story.hears(syncedWith(story), true, story.time);
  assert.equal(rightRemainingMs(story.member, story.time), 45_000);
});

test("[PA3] a machine that was suspended has no right before it has handled any event", () => {
  const story = inSyncStory();
  story.pass(5_000, 0);
  assert.equal(rightRemainingMs(story.member, story.time), 0);
  story.hears(syncedWith(story), true);
  assert.equal(rightRemainingMs(story.member, story.time), 45_000);
});

test("[PA3] a step of the wall clock backwards ends no right", () => {
  const story = inSyncStory();
  story.pass(-3_600_000, 0);
  assert.ok(rightRemainingMs(story.member, story.time) > 0);
});

test("[PA6] another holder, or another member with a greater term, ends the duty and the right at once", () => {
  const byLease = inSyncStory();
  byLease.pass(10_000);
  byLease.happens({ kind: "tick" });
  byLease.writes({ kind: "conflict" });
  byLease.reads(readingOf({ ...otherLease, term: byLease.status.term + 1 }, 3));
  const byLink = inSyncStory();
  byLink.hears({ ...activeFacts, mark: { ...activeFacts.mark, term: byLink.status.term + 1 } });
  for (const story of [byLease, byLink]) {
    assert.deepEqual(
      story.actions.find(({ kind }) => kind === "stopDuty"),
      { kind: "stopDuty", why: "fenced" },
    );
    assert.equal(rightRemainingMs(story.member, story.time), 0);
    assert.equal(story.member.phase.kind, "ending");
    story.happens({ kind: "dutyStopped", position: 12 });
    assert.equal(story.member.phase.kind, "following");
  }
});

test("[PA7] groups need both disks before the lease says so, and one only after it has said otherwise", () => {
  const story = activeStory();
  story.hears(syncedWith(story), true);
  story.reports(12, 10);
  story.reports(12, 11);
  assert.deepEqual(
    story.kinds().filter((kind) => kind !== "readLease"),
    ["acknowledge"],
  );
  story.reports(13, 12);
  assert.deepEqual(story.sent, ["in sync on 1"], "everything up to the barrier is there");
  story.writes({ kind: "written", seq: 2 });
  assert.equal(story.status.inSync, true);
  story.forget();
  story.pass(2_200);
  story.happens({ kind: "tick" });
  assert.deepEqual(story.sent, ["alone on 2"]);
  assert.equal(story.kinds().includes("acknowledge"), false);
  story.writes({ kind: "written", seq: 3 });
  assert.deepEqual(
    story.actions.find(({ kind }) => kind === "acknowledge"),
    { kind: "acknowledge", alone: true },
  );
  assert.ok(story.kinds().includes("record"), "PAIR_DEGRADED");
});

test("[PA7] a lease with `inSync` that may still be written keeps groups waiting for both disks", () => {
  const story = activeStory();
  story.hears(syncedWith(story), true);
  story.reports(12, 12);
  story.reports(12, 12);
  assert.deepEqual(story.sent, ["in sync on 1"]);
  story.writes({ kind: "unknown", why: "no answer" });
  story.pass(3_000);
  story.reads(readingOf(ownLease(story, { inSync: false, at: 1 }), 1));
  story.forget();
  story.happens({ kind: "tick" });
  assert.equal(story.kinds().includes("acknowledge"), false);
  story.pass(10_000);
  story.happens({ kind: "tick" });
  story.writes({ kind: "written", seq: 2 });
  story.happens({ kind: "tick" });
  assert.deepEqual(
    story.actions.find(({ kind }) => kind === "acknowledge"),
    { kind: "acknowledge", alone: true },
  );
});

test("[PA7] another process of the standby is not in sync before the lease has said so", () => {
  const story = inSyncStory();
  story.hears({ ...syncedWith(story), instance: "b2" });
  assert.deepEqual(story.sent, ["alone on 2"]);
});
