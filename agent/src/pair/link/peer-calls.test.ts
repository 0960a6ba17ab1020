import assert from "node:assert/strict";
import { test } from "node:test";
import { MemberCallError } from "../standby-engine.ts";
import { LinkCaller, LinkSessions } from "./link-sessions.ts";
import { PeerCalls } from "./peer-calls.ts";

const secret = new Uint8Array(32).fill(7);

/** Calls over a link whose other end a test replaces. */
function openCalls(active: string) {
  const link = { sessions: new LinkSessions(secret), fails: "" };
  const caller = new LinkCaller(secret, async (frame) => {
    if (link.fails !== "") throw new Error(link.fails);
    const answer = await link.sessions.answer(frame, async () => ({ executed: true, result: "done" }));
    if (!answer.ok) throw new Error(answer.error);
    return answer.value;
  });
  const own = { call: async () => ({ executed: false }) };
  const calls = new PeerCalls({ caller, own, member: "fra-a", active: () => active });
  return { link, caller, forward: () => calls.forward("servedDocument", [], 1_000) };
}

const failure = (message: string, wasSent: boolean) => (error: unknown) => {
  assert.ok(error instanceof MemberCallError);
  assert.deepEqual([error.message, error.wasSent], [message, wasSent]);
  return true;
};

test("[PA59] a call counts as sent only when the active member may have handled it", async () => {
  const { link, caller, forward } = openCalls("fra-b");
  assert.equal(await forward(), "done");
  link.fails = "connect ECONNREFUSED";
  const state = "standby: the active is fra-b";
  await assert.rejects(forward(), failure(`${state}, which did not answer (connect ECONNREFUSED)`, true));
  caller.endSession();
  await assert.rejects(forward(), failure(`${state}, which cannot be reached (connect ECONNREFUSED)`, false));
  link.fails = "";
  assert.equal(await forward(), "done");
  link.sessions = new LinkSessions(secret);
  const restarted = `${state}, which cannot be reached (the other member has started again)`;
  await assert.rejects(forward(), failure(restarted, false));
  const starting = openCalls("fra-a");
  await assert.rejects(starting.forward(), failure("fra-a is active, and its agent does not run", false));
  const alone = openCalls("");
  await assert.rejects(alone.forward(), failure("standby: no other member is known to be active", false));
});
