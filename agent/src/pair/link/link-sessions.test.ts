import assert from "node:assert/strict";
import { test } from "node:test";
import { LinkCaller, LinkSessions, type SendFrame } from "./link-sessions.ts";

const secret = new Uint8Array(32).fill(7);

function openLink(own = secret) {
  let server = new LinkSessions(secret);
  const frames: Uint8Array[] = [];
  const bodies: unknown[] = [];
  const deliver = async (frame: Uint8Array): Promise<Uint8Array> => {
    const answered = await server.answer(frame, async (body) => {
      bodies.push(body);
      return { answers: body };
    });
    if (!answered.ok) throw new Error(answered.error);
    return answered.value;
  };
  const send: SendFrame = (frame) => {
    frames.push(frame);
    return deliver(frame);
  };
  return {
    ...{ frames, bodies, deliver, send },
    caller: new LinkCaller(own, (...sent) => send(...sent)),
    restart() {
      server = new LinkSessions(secret);
    },
  };
}

test("[PA60] members of one secret exchange plain data, maps, bytes and infinities included", async () => {
  const link = openLink();
  const body = { map: new Map([["a", Number.POSITIVE_INFINITY]]), bytes: new Uint8Array([1, 2]), none: undefined };
  assert.deepEqual((await link.caller.call(body, 1_000)).body, { answers: body });
});

test("[PA60] a member of another secret is refused and learns nothing, and the secret is in no frame", async () => {
  const link = openLink(new Uint8Array(32).fill(8));
  await assert.rejects(link.caller.call("x", 1_000), /another secret/);
  assert.deepEqual(link.bodies, []);
  const other = new LinkCaller(secret, async () => new Uint8Array(100));
  await assert.rejects(other.call("x", 1_000), /another secret/);
  for (const frame of link.frames) assert.equal(Buffer.from(frame).includes(Buffer.alloc(32, 8)), false);
});

test("[PA60] a changed, cut or repeated frame does nothing", async () => {
  const link = openLink();
  await link.caller.call("once", 1_000);
  const sent = link.frames.at(-1) ?? new Uint8Array();
  await assert.rejects(link.deliver(sent), /sent before/);
  for (const at of [0, 31, 32, sent.length - 1]) {
    const changed = Uint8Array.from(sent);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await assert.rejects(link.deliver(changed), /another secret/);
  }
  for (const length of [0, 31, 32, sent.length - 1])
    await assert.rejects(link.deliver(sent.subarray(0, length)), /another secret/);
  assert.deepEqual(link.bodies, ["once"]);
});

test("[PA60] an answer to another request is refused", async () => {
  const link = openLink();
  const answers: Uint8Array[] = [];
  const caller = new LinkCaller(secret, async (frame) => {
    answers.push(await link.deliver(frame));
    return answers.at(-2) ?? answers.at(-1) ?? new Uint8Array();
  });
  await assert.rejects(caller.call("x", 1_000), /another secret/);
});

test("[PA60] after a restart of the other member a new session begins with the next call", async () => {
  const link = openLink();
  await link.caller.call(1, 1_000);
  link.restart();
  await assert.rejects(link.caller.call(2, 1_000), /started again/);
  assert.deepEqual((await link.caller.call(3, 1_000)).body, { answers: 3 });
  assert.deepEqual(link.bodies, [1, 3]);
});
