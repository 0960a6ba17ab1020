import { fail, ok } from "@realmwatch/shared/model/result";
import type { Lease, LeaseReading, LeaseWriting } from "../lease/lease-store.ts";
import { type Member, newMember } from "./member.ts";
import type { MemberAction } from "./member-action.ts";
import type { MemberEvent, MemberTime } from "./member-event.ts";
import { emptyMark, type JournalMark, type MemberFacts } from "./member-facts.ts";
import { factsOf, memberStatusOf } from "./member-status.ts";
import { stepMember } from "./step-member.ts";

const wallStartMs = 1_795_000_000_000;

/** Lease of fra-b in term 500 with the standby in sync. */
export const otherLease: Lease = {
  member: "fra-b",
  instance: "b1",
  term: 500,
  epoch: 500,
  inSync: true,
  goodbye: false,
  at: 1,
};

/** Facts of fra-b as a standby of term 500. */
export const otherFacts: MemberFacts = {
  realm: "fra",
  member: "fra-b",
  instance: "b1",
  schema: 1,
  leaseMs: 45_000,
  role: "standby",
  active: false,
  givingUp: undefined,
  mark: { ...emptyMark, stream: "s1", seq: 7, term: 500 },
  position: 10,
};

export const activeFacts: MemberFacts = { ...otherFacts, role: "active", active: true };

/** Mark of a member that followed term 500 in sync. */
export const syncedMark: JournalMark = { stream: "s1", seq: 7, term: 500, claimedTerm: 0, syncedTerm: 500 };

export const readingOf = (lease: Lease | undefined, seq: number, stream = "s1"): LeaseReading => ({
  lease,
  seq,
  stream,
});

/** One member, fra-a, with a lease of 45 s, whose clocks and events a test writes. */
export class MemberStory {
  member: Member;
  /** Actions of the last event, and of the ones since `forget`. */
  actions: MemberAction[] = [];
  #nowMs = 0;
  #wallMs = wallStartMs;

  constructor(mark: JournalMark = emptyMark, position = 10) {
    const settings = { realm: "fra", member: "fra-a", instance: "a1", schema: 1, leaseMs: 45_000 };
    this.member = newMember(settings, mark, position, this.time);
  }

  get time(): MemberTime {
    return { nowMs: this.#nowMs, wallMs: this.#wallMs };
  }

  /** Lets both clocks run, or the wall clock alone. */
  pass(ms: number, monotonicMs = ms): void {
    this.#wallMs += ms;
    this.#nowMs += monotonicMs;
  }

  happens(event: MemberEvent): readonly MemberAction[] {
    const { member, actions } = stepMember(this.member, event, this.time);
    this.member = member;
    this.actions.push(...actions);
    return actions;
  }

  reads(reading: LeaseReading | string, sentAt = this.time): readonly MemberAction[] {
    return this.happens({
      kind: "leaseRead",
      sentAt,
      reading: typeof reading === "string" ? fail(reading) : ok(reading),
    });
  }

  /** Reads the same for a while, every 2 s. */
  watches(reading: LeaseReading, ms: number): void {
    for (let passed = 0; passed < ms; passed += 2_000) {
      this.pass(Math.min(2_000, ms - passed));
      this.reads(reading);
    }
  }

  writes(writing: LeaseWriting, sentAt = this.time): readonly MemberAction[] {
    return this.happens({ kind: "leaseWritten", sentAt, writing });
  }

  hears(peer: MemberFacts, promises = false, answers: MemberTime | undefined = this.time): readonly MemberAction[] {
    return this.happens({ kind: "heard", peer, answers, promises });
  }

  reports(position: number, standbyPosition: number): readonly MemberAction[] {
    const laggingSinceMs = standbyPosition < position ? this.#nowMs : undefined;
    return this.happens({ kind: "progress", progress: { position, standbyPosition, laggingSinceMs } });
  }

  get status(): ReturnType<typeof memberStatusOf> {
    return memberStatusOf(this.member, this.time);
  }

  get facts(): MemberFacts {
    return factsOf(this.member, this.time);
  }

  /** Leases that were sent since the start, as `term inSync goodbye on sequence`. */
  get sent(): readonly string[] {
    return this.actions.flatMap((action) => {
      if (action.kind !== "writeLease") return [];
      const { inSync, goodbye } = action.lease;
      return [`${inSync ? "in sync" : "alone"}${goodbye ? ", goodbye" : ""} on ${action.expectedSeq}`];
    });
  }

  kinds(): readonly string[] {
    return this.actions.map(({ kind }) => kind);
  }

  forget(): void {
    this.actions = [];
  }
}

/** Member that is active with its duty running: the first start, agreed over the link, on sequence 1 of stream s1. */
export function activeStory(): MemberStory {
  const story = new MemberStory();
  story.hears({ ...otherFacts, mark: emptyMark, position: 3 });
  story.reads(readingOf(undefined, 0));
  story.writes({ kind: "written", seq: 1 });
  story.happens({ kind: "dutyStarted" });
  story.forget();
  return story;
}

/** Facts of fra-b as a standby in sync with the story's term. */
export const syncedWith = (story: MemberStory): MemberFacts => ({
  ...otherFacts,
  mark: { ...otherFacts.mark, seq: 1, term: story.status.term, syncedTerm: story.status.term },
});

/** Active member whose lease says that the standby is in sync, on sequence 2. */
export function inSyncStory(): MemberStory {
  const story = activeStory();
  story.hears(syncedWith(story), true);
  story.reports(12, 10);
  story.reports(12, 12);
  story.writes({ kind: "written", seq: 2 });
  story.forget();
  return story;
}

/** Lease that a member has sent last, as it would be read. */
export const ownLease = (story: MemberStory, change: Partial<typeof otherLease> = {}) => {
  const sent = story.actions.findLast(({ kind }) => kind === "writeLease");
  if (sent?.kind !== "writeLease") throw new Error("no lease was sent");
  return { ...sent.lease, ...change };
};
