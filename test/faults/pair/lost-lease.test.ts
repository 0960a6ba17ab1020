import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { leaseStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { cutLink, healthy, startPair } from "./pair-environment.ts";
import { startPairLoad } from "./pair-load.ts";
import {
  isActive,
  lastLogs,
  type PairTestMember,
  pairAt,
  patienceMs,
  promoteByForce,
  switchPair,
  toldBy,
  untilPair,
} from "./pair-member.ts";
import { judgePair } from "./pair-oracle.ts";
import { watchPair } from "./pair-watch.ts";

const heldRole = "PAIR_ROLE_HELD";
const waitingRole = "PAIR_ROLE_WAITING";

/**
 * Waits until a member acts on nothing because of `reason`, and everything that people look at says so. On a loaded
 * machine another reason may come between, as that NATS does not answer in time.
 */
async function saysWhy(member: PairTestMember, role: string, reason: RegExp): Promise<void> {
  await untilPair(`is ${role}: ${reason}`, member, (seen) => seen.role === role && reason.test(seen.reason ?? ""));
  let seen: unknown;
  const isSaid = async (): Promise<boolean> => {
    const { ready, page, printed, log, metrics } = await toldBy(member);
    const numbers = [ready, metrics.get("active"), metrics.get("held")];
    seen = { numbers, page, printed };
    return (
      `${numbers}` === `503,0,${Number(role === heldRole)}` && [page, printed, log].every((text) => reason.test(text))
    );
  };
  await until(`${member.name} says everywhere: ${reason}`, isSaid, { withinMs: patienceMs, seen: () => seen });
}

test("[PA2, PA8, PA16, PA56] a lease that is lost while a pair runs promotes no member, and is named", {
  timeout: 500_000,
}, async (t) => {
  const pair = await startPair(t);
  const watch = await watchPair(t, pair);
  const load = startPairLoad(t, pair, seededRandom(5), 150);
  const activeTerm = async () => {
    const { active, standby } = await healthy(pair);
    return { active, standby, term: (await pairAt(active.program)).term };
  };
  const unchanged = async (before: Awaited<ReturnType<typeof activeTerm>>): Promise<void> => {
    const after = await activeTerm();
    assert.deepEqual([after.active.name, after.term], [before.active.name, before.term]);
  };

  const step = async (name: string, run: () => Promise<void>): Promise<void> => {
    let failure: unknown;
    await t.test(name, async () => {
      await run().catch((error: unknown) => {
        failure = error;
        t.diagnostic(lastLogs(pair.members));
        throw error;
      });
    });
    if (failure !== undefined) throw failure;
  };

  await step("an older copy that names the other member: the active member makes its lease anew", async () => {
    await healthy(pair);
    await pair.backUpNats();
    await switchPair((await healthy(pair)).active);
    const before = await activeTerm();
    await pair.restoreNats();
    await until("the copy is noticed", () => /went back to sequence/.test(before.active.program.output()), {
      withinMs: patienceMs,
    });
    await untilPair("has a lease", before.active, (seen) => isActive(seen) && "leaseRemainingMs" in seen);
    await pair.leaseIsCurrent();
    await unchanged(before);
  });

  await step("an older copy of the term, without the link: no member acts until the link is back", async () => {
    await pair.backUpNats();
    const before = await activeTerm();
    const written = watch.leases.length;
    await until("the lease is renewed", () => watch.leases.length > written + 2, { withinMs: patienceMs });
    await pair.restoreNats(async () => {
      cutLink(pair);
      // A promise that is still kept would let it make the lease anew.
      await untilPair("has no right", before.active, ({ role }) => role === heldRole);
    });
    await saysWhy(before.active, heldRole, /went back to sequence/);
    await saysWhy(before.standby, waitingRole, /went back to sequence/);
    pair.healLinks();
    await unchanged(before);
  });

  await step("a purged stream, without the link", async () => {
    const before = await activeTerm();
    cutLink(pair);
    await untilPair("has no promise", before.active, (seen) => !("promiseRemainingMs" in seen));
    await pair.purgeLease();
    await saysWhy(before.active, heldRole, /no lease of the realm/);
    await saysWhy(before.standby, waitingRole, /no lease of the realm/);
    pair.healLinks();
    await unchanged(before);
  });

  await step("a stream that is gone: the active member goes on by promises, and says so", async () => {
    const before = await activeTerm();
    await pair.deleteStream(leaseStream.name);
    await untilPair(
      "says why",
      before.active,
      (seen) => isActive(seen) && !("leaseRemainingMs" in seen) && /SVC_LEASE/.test(seen.reason ?? ""),
    );
    const { ready, page, printed, log, metrics } = await toldBy(before.active);
    assert.deepEqual([ready, metrics.get("active"), metrics.get("lease_remaining_seconds")], [200, 1, 0]);
    for (const text of [page, printed, log]) assert.match(text, /SVC_LEASE/);
    await pair.createStreams();
    await pair.leaseIsCurrent();
    await unchanged(before);
  });

  await step("an older copy, and the active member dies: an operator decides", async () => {
    await pair.backUpNats();
    await switchPair((await healthy(pair)).active);
    const { active, standby } = await activeTerm();
    await pair.restoreNats(async () => void (await active.program.stop("SIGKILL")));
    await saysWhy(standby, waitingRole, /went back to sequence/);
    await active.program.restart();
    await saysWhy(active, waitingRole, /went back to sequence/);
    await saysWhy(standby, waitingRole, /went back to sequence/);
    await promoteByForce(standby);
    assert.equal((await healthy(pair)).active.name, standby.name);
  });

  await load.stop();
  t.diagnostic(await judgePair(pair, load.record, watch));
});
