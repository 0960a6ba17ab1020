import assert from "node:assert/strict";
import { test } from "node:test";
import type { LeaseReading } from "../lease/lease-store.ts";
import { emptyMark, type JournalMark } from "./member-facts.ts";
import { mayPromise } from "./member-status.ts";
import { activeFacts, MemberStory, otherFacts, otherLease, readingOf, syncedMark } from "./member-story.fixture.ts";

/** Lease and margin of 45 s together. */
const overMs = 54_000;

/** Outcome of watching a lease for longer than lease and margin: the reason of a takeover, or why the member does not take over. */
function outcomeOf(mark: JournalMark, reading: LeaseReading, position = 10): string {
  const story = new MemberStory(mark, position);
  story.reads(reading);
  story.watches(reading, overMs + 2_000);
  if (story.member.phase.kind === "claiming") return story.member.phase.reason;
  const { reason, needsPerson } = story.status;
  return `${needsPerson ? "operator" : "waits"}: ${reason}`;
}

const own = { ...otherLease, member: "fra-a", instance: "a0" };
const rows: readonly [rule: string, mark: JournalMark, reading: LeaseReading, expected: RegExp, position?: number][] = [
  ["[PA2] an unchanged lease of the other member is taken", syncedMark, readingOf(otherLease, 7), /^expired$/],
  ["[PA2] so is one of an earlier process", { ...syncedMark, claimedTerm: 500 }, readingOf(own, 7), /^expired$/],
  [
    "[PA5] not one that says that changes are lacking",
    syncedMark,
    readingOf({ ...otherLease, inSync: false }, 7),
    /^operator.*lacks changes/,
  ],
  [
    "[PA5] not by a journal that was in sync in another term",
    { ...syncedMark, syncedTerm: 400 },
    readingOf(otherLease, 7),
    /^operator.*never in sync/,
  ],
  ["[PA5] not by a wiped journal", emptyMark, readingOf(otherLease, 7), /^operator.*never in sync/, 0],
  [
    "[PA5] not an own one that the journal knows nothing of",
    { ...syncedMark, syncedTerm: 400 },
    readingOf(own, 7),
    /^operator.*journal is another one/,
  ],
  ["[PA8] not one in a stream that was made anew", syncedMark, readingOf(otherLease, 7, "s2"), /^operator.*made anew/],
  ["[PA8] not one with a lower sequence", syncedMark, readingOf(otherLease, 6), /^operator.*went back to sequence 6/],
  ["[PA8] not one of a lower term", syncedMark, readingOf({ ...otherLease, term: 499 }, 8), /^operator.*term 499/],
  ["[PA8] not one that is gone", syncedMark, readingOf(undefined, 0), /^operator.*has no lease/],
  [
    "[PA10] no lease and no term: alone with a journal that is not empty",
    emptyMark,
    readingOf(undefined, 0),
    /^first$/,
  ],
  ["[PA10] not alone with an empty one", emptyMark, readingOf(undefined, 0), /^operator.*is empty/, 0],
  ["[PA10] not on a message that is not a lease", emptyMark, readingOf(undefined, 3), /^operator.*cannot be read/],
];
for (const [rule, mark, reading, expected, position] of rows)
  test(rule, () => assert.match(outcomeOf(mark, reading, position), expected));

test("[PA2] a challenger waits for the longer lease of the member that wrote it", () => {
  for (const [leaseMs, waitedMs] of [
    [undefined, overMs],
    [9_000, overMs],
    [300_000, 360_000],
  ] as const) {
    const story = new MemberStory(syncedMark);
    const reading = readingOf({ ...otherLease, ...(leaseMs && { leaseMs }) }, 7);
    story.reads(reading);
    story.watches(reading, waitedMs - 2_000);
    assert.equal(story.member.phase.kind, "following");
    story.watches(reading, 4_000);
    assert.equal(story.member.phase.kind, "claiming");
  }
});

test("[PA8] a lease that was read before the other member wrote it anew did not go back: it is read again", () => {
  for (const [older, later] of [
    [readingOf(otherLease, 7), readingOf({ ...otherLease, at: 2 }, 8)],
    [readingOf(undefined, 0), readingOf({ ...otherLease, at: 2 }, 8)],
  ] as const) {
    const story = new MemberStory({ ...syncedMark, syncedTerm: 400 });
    story.reads(readingOf(otherLease, 7));
    story.pass(100);
    const sentAt = story.time;
    story.pass(100);
    story.hears({ ...otherFacts, mark: { ...otherFacts.mark, seq: 8 }, active: true });
    story.reads(older, sentAt);
    const { reason, needsPerson } = story.status;
    assert.deepEqual([reason, needsPerson], ["the lease is being read again", false]);
    story.reads(later);
    story.pass(500);
    // Asked for after the other member's word, it is what NATS has now.
    story.reads(older);
    assert.match(story.status.reason, /went back|has no lease/);
    assert.equal(story.status.needsPerson, true);
  }
});

test("[PA2] the lease counts as given up after lease and margin, not before, and anew after each renewal", () => {
  const story = new MemberStory(syncedMark);
  story.reads(readingOf(otherLease, 7));
  story.watches(readingOf(otherLease, 7), 53_800);
  assert.deepEqual(story.sent, []);
  story.reads(readingOf({ ...otherLease, at: 2 }, 8));
  story.watches(readingOf({ ...otherLease, at: 2 }, 8), 53_800);
  assert.deepEqual(story.sent, []);
  story.watches(readingOf({ ...otherLease, at: 2 }, 8), 400);
  assert.deepEqual(story.sent, ["alone on 8"]);
});

test("[PA3] a failed reading and a gap between readings begin the count anew", () => {
  for (const interrupt of [
    (story: MemberStory) => story.reads("the connection to NATS was lost"),
    (story: MemberStory) => story.pass(20_000),
  ]) {
    const story = new MemberStory(syncedMark);
    story.reads(readingOf(otherLease, 7));
    story.watches(readingOf(otherLease, 7), 50_000);
    interrupt(story);
    story.watches(readingOf(otherLease, 7), 50_000);
    assert.deepEqual(story.sent, []);
    story.watches(readingOf(otherLease, 7), 8_000);
    assert.deepEqual(story.sent, ["alone on 7"]);
  }
});

test("[PA4] a promise is kept for lease and margin, and none is made while a claim may still be written", () => {
  const story = new MemberStory(syncedMark);
  story.hears(activeFacts);
  story.reads(readingOf(otherLease, 7));
  story.watches(readingOf(otherLease, 7), 50_000);
  story.hears(activeFacts);
  assert.ok(mayPromise(story.member, story.time));
  story.happens({ kind: "promised" });
  story.happens({ kind: "linkLost", why: "reset" });
  story.watches(readingOf(otherLease, 7), 53_000);
  assert.match(story.status.reason, /has the promise of this member for 1 s/);
  story.watches(readingOf(otherLease, 7), 2_000);
  assert.deepEqual(story.sent, ["alone on 7"]);
  story.hears(activeFacts);
  assert.equal(mayPromise(story.member, story.time), false);
  story.writes({ kind: "unknown", why: "no answer" });
  assert.equal(mayPromise(story.member, story.time), false);
});

test("[PA4] no promise is made to a member of an older term", () => {
  const story = new MemberStory({ ...syncedMark, term: 600 });
  story.hears(activeFacts);
  assert.equal(mayPromise(story.member, story.time), false);
});

test("[PA11] a goodbye that arrives is followed at once, in spite of a promise; an old one only after lease and margin", () => {
  const goodbye = readingOf({ ...otherLease, goodbye: true, at: 2 }, 8);
  const story = new MemberStory(syncedMark);
  story.hears(activeFacts);
  story.reads(readingOf(otherLease, 7));
  story.happens({ kind: "promised" });
  story.hears({ ...activeFacts, givingUp: "switch" });
  story.pass(1_000);
  story.reads(goodbye);
  assert.equal(story.member.phase.kind === "claiming" && story.member.phase.reason, "switch");
  const late = new MemberStory(syncedMark);
  late.reads(goodbye);
  assert.deepEqual(late.sent, []);
  late.watches(goodbye, overMs + 2_000);
  assert.deepEqual(late.sent, ["alone on 8"]);
});

test("[PA10] the longer journal begins, of equal ones the first by name; old facts agree to nothing", () => {
  const first = { ...otherFacts, mark: emptyMark };
  for (const [position, begins] of [
    [9, true],
    [10, true],
    [11, false],
  ] as const) {
    const story = new MemberStory();
    story.hears({ ...first, position });
    story.reads(readingOf(undefined, 0));
    assert.equal(story.sent.length > 0, begins, String(position));
  }
  const story = new MemberStory();
  story.pass(5_000);
  story.hears({ ...first, position: 3 }, false, { nowMs: 0, wallMs: 0 });
  story.reads(readingOf(undefined, 0));
  assert.deepEqual(story.sent, []);
});

test("[PA9] a term is minted above everything known, and the journal knows of the claim before it is sent", () => {
  const story = new MemberStory({ ...syncedMark, term: 500 });
  const ahead = 1_895_000_000_000;
  story.happens({ kind: "epochHeard", epoch: ahead });
  story.reads(readingOf(otherLease, 7));
  story.watches(readingOf(otherLease, 7), overMs + 2_000);
  const [mark, write] = story.actions.slice(-2);
  assert.ok(mark?.kind === "markInJournal" && write?.kind === "writeLease");
  assert.deepEqual([mark.mark.claimedTerm, write.lease.term, write.lease.epoch], [ahead + 1, ahead + 1, ahead + 1]);
});

test("[PA12] force is refused while the other member is active, promised to or renews, and lifts everything else", () => {
  const answer = (story: MemberStory): string => {
    story.forget();
    story.happens({ kind: "promoteRequested" });
    const action = story.actions.find(({ kind }) => kind === "answerPromote");
    if (action?.kind !== "answerPromote") return story.sent.join();
    return action.answer.ok ? "ok" : action.answer.error;
  };
  const story = new MemberStory(syncedMark);
  story.reads(readingOf(undefined, 0));
  assert.match(answer(story), /has the promise of this one/);
  story.watches(readingOf({ ...otherLease, inSync: false }, 3), 40_000);
  story.hears(activeFacts);
  assert.match(answer(story), /fra-b can be reached and is active/);
  story.watches(readingOf({ ...otherLease, inSync: false }, 3), 14_100);
  assert.match(answer(story), /fra-b renewed its lease: try again in 2 s/);
  story.watches(readingOf({ ...otherLease, inSync: false }, 3), 2_000);
  assert.equal(answer(story), "alone on 3");
});

test("[PA12] force without NATS waits until every right of the other member has ended", () => {
  const story = new MemberStory(syncedMark);
  story.pass(53_000);
  story.happens({ kind: "promoteRequested" });
  assert.deepEqual(story.kinds().includes("startDuty"), false);
  story.pass(2_000);
  story.happens({ kind: "promoteRequested" });
  assert.ok(story.kinds().includes("startDuty"));
  assert.equal(story.status.role, "active");
  story.reads(readingOf(otherLease, 8));
  assert.equal(story.status.role, "held");
  story.pass(2_000);
  story.reads(readingOf({ ...otherLease, at: 2 }, 9));
  assert.ok(story.kinds().includes("stopDuty"), "the other member renews its lease");
});
