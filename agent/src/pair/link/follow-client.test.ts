import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { JournalFollower } from "../journal/journal-follower.ts";
import type { MemberFacts } from "../member/member-facts.ts";
import { FollowClient, type FollowClientOptions } from "./follow-client.ts";
import type { FollowRequest } from "./follow-messages.ts";
import { LinkCaller, LinkSessions } from "./link-sessions.ts";

const secret = new Uint8Array(32).fill(7);
const journal = { position: () => ({ position: 7 }) } as unknown as JournalFollower;
const facts = {} as MemberFacts;
const active = { journal: journal.position(), tail: { kind: "groups", lines: [], cursors: [] }, rows: [], epoch: 1 };

/** Client of an active member, until the end of the test. */
function openClient(t: TestContext, show: FollowClientOptions["show"]) {
  const clock = manualClock(0);
  const sessions = new LinkSessions(secret);
  const requests: FollowRequest[] = [];
  const applied: unknown[] = [];
  const notShown: string[] = [];
  const caller = new LinkCaller(secret, async (frame, _timeoutMs, signal) => {
    await setImmediate();
    if (signal?.aborted) throw new Error("closed");
    const answer = await sessions.answer(frame, async (body) => {
      requests.push(body as FollowRequest);
      return { number: requests.length, facts, refusal: "", active };
    });
    if (!answer.ok) throw new Error(answer.error);
    return answer.value;
  });
  const client = new FollowClient({
    ...{ clock, caller, timeoutMs: 1_000, retryMs: 10, show },
    facts: () => facts,
    settled: async () => {},
    follower: () => ({ ...journal, apply: async () => ({ kind: "applied" }) }) as unknown as JournalFollower,
    promise: () => false,
    heard() {},
    lost() {},
    refused() {},
    followed: (end) => void applied.push(end),
    snapshotBegun() {},
    failed: (why) => assert.fail(why),
    notShown: (why) => void notShown.push(why),
  });
  t.after(() => client.close());
  client.start();
  return { clock, requests, applied, notShown };
}

test("[PA62] rows that a port does not take delay no answer, and no more of them are asked for", async (t) => {
  const { requests, applied } = openClient(t, () => new Promise(() => {}));
  await until("answers are applied", () => applied.length >= 8);
  assert.deepEqual(
    requests.slice(0, 8).map(({ takesRows }) => takesRows),
    [true, true, true, true, false, false, false, false],
  );
});

test("[PA62] after rows that cannot be shown a new session asks for all, and shows them a second later", async (t) => {
  const shown: number[] = [];
  const { clock, requests, notShown } = openClient(t, async (_answer, feed) => {
    shown.push(feed);
    if (shown.length === 1) throw new Error("the port was started again");
  });
  await until("no more rows are asked for", () => requests.at(-1)?.takesRows === false);
  assert.deepEqual([notShown, shown], [["the port was started again"], [1]]);
  assert.equal(requests.filter(({ answers }) => answers === 0).length, 2, "the first of two sessions");
  clock.advance(1_000);
  await until("rows are shown again", () => shown.length > 1);
  assert.ok(shown.slice(1).every((feed) => feed === 2));
});
