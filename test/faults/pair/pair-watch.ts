import { setTimeout as sleep } from "node:timers/promises";
import { decodeLease } from "@realmwatch/agent/pair/lease/lease-message";
import type { Lease } from "@realmwatch/agent/pair/lease/lease-store";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { leaseStream, leaseSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { type PairEnvironment, pairLeaseMs } from "./pair-environment.ts";
import { isActive, type PairJson, pairAt } from "./pair-member.ts";

/** Answer of a member that it has the right to act at some time between two instants. */
export type SeenActive = {
  readonly member: string;
  readonly term: number;
  readonly sentMs: number;
  readonly answeredMs: number;
};

export type PairWatch = {
  readonly seen: readonly SeenActive[];
  /** Leases that the stream took, in their order. */
  readonly leases: readonly WrittenLease[];
  /** Violations so far. */
  failures(): readonly string[];
};

type WrittenLease = { readonly atMs: number; readonly lease: Lease; readonly expected: string; readonly seq: number };

type Acknowledgement = { readonly stream?: string; readonly seq?: number; readonly duplicate?: boolean };

/** Interval at which each member is asked, ms. */
const pollMs = 40;
/** Time by which messages of NATS may reach the watch late, ms. */
const lateMs = 300;

/** Asks both members who has the right, and listens to each write of the lease. */
export async function watchPair(scope: TestScope, environment: PairEnvironment): Promise<PairWatch> {
  const seen: SeenActive[] = [];
  const failures: string[] = [];
  let isStopped = false;
  const poll = async (at: 0 | 1): Promise<void> => {
    const { name, program } = environment.members[at];
    while (!isStopped) {
      const sentMs = performance.now();
      const pair = await pairAt(program).catch(() => undefined);
      if (pair !== undefined && isActive(pair)) noteActive(seen, failures, name, pair, sentMs);
      await sleep(pollMs);
    }
  };
  const polls = [poll(0), poll(1)];
  const { leases, close } = await watchLeases(environment, failures);
  atEnd(scope, async () => {
    isStopped = true;
    await Promise.all(polls);
    await close();
  });
  return { seen, leases, failures: () => failures };
}

/** A member that is asked after another one was active in a greater term must not have the right any more. */
function noteActive(seen: SeenActive[], failures: string[], member: string, pair: PairJson, sentMs: number): void {
  const term = Number(pair.term ?? 0);
  const answered = { member, term, sentMs, answeredMs: performance.now() };
  const newer = seen.findLast((other) => other.term > term && other.answeredMs < sentMs);
  const twin = seen.findLast((other) => other.term === term && other.member !== member);
  if (newer !== undefined) failures.push(`${member} has the right in term ${term} after ${JSON.stringify(newer)}`);
  if (twin !== undefined) failures.push(`${member} has the right in the term of ${JSON.stringify(twin)}`);
  seen.push(answered);
}

async function watchLeases({ connect }: PairEnvironment, failures: string[]) {
  const connection = await connect();
  const leases: WrittenLease[] = [];
  /** Writes whose answer has not come, by the subject of the answer. */
  const open = new Map<string, { readonly atMs: number; readonly expected: string; readonly lease: Lease }>();
  connection.subscribe(leaseSubject("fra"), {
    callback(error, { data, headers, reply }) {
      const lease = decodeLease(data);
      if (error !== null || !lease.ok || reply === undefined) return;
      const expected = headers?.get("Nats-Expected-Last-Subject-Sequence") ?? "";
      if (expected === "") failures.push(`a lease without an expected sequence: ${JSON.stringify(lease.value)}`);
      open.set(reply, { atMs: performance.now(), expected, lease: lease.value });
    },
  });
  // The members' inboxes have a prefix of the realm.
  connection.subscribe(">", {
    callback(error, { data, subject }) {
      const write = open.get(subject);
      if (error !== null || write === undefined) return;
      open.delete(subject);
      const { stream, seq, duplicate } = JSON.parse(Buffer.from(data).toString("utf8")) as Acknowledgement;
      // A duplicate is the number of the lease that another write has put on the same sequence.
      if (stream !== leaseStream.name || seq === undefined || duplicate === true) return;
      const written = { ...write, seq };
      failures.push(...wrongSuccession(leases.at(-1), written));
      leases.push(written);
    },
  });
  await connection.flush();
  return { leases, close: () => connection.close() };
}

/** Errors of a lease that follows another one. */
function wrongSuccession(before: WrittenLease | undefined, now: WrittenLease): string[] {
  if (before === undefined || now.expected !== String(before.seq)) return [];
  const { lease } = before;
  const wrong: string[] = [];
  if (now.lease.term < lease.term) wrong.push("has a lower term");
  if (now.lease.member !== lease.member || now.lease.instance !== lease.instance) {
    if (now.lease.term <= lease.term) wrong.push("takes over without a greater term");
    const ageMs = now.atMs - before.atMs;
    if (!lease.goodbye && ageMs < pairLeaseMs - lateMs) wrong.push(`takes over after ${ageMs} ms`);
    if (!lease.inSync && now.lease.member !== lease.member) wrong.push("takes over from a member that was alone");
  }
  return wrong.map((why) => `lease ${JSON.stringify(now)} ${why}, after ${JSON.stringify(before)}`);
}
