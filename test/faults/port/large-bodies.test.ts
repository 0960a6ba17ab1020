import assert from "node:assert/strict";
import { type ClientHttp2Session, connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { before, test } from "node:test";
import { atEnd, fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { openRaw, type RawConnection } from "../../api/raw-connection.ts";
import { call } from "../../run/call.ts";
import { startTestAgent, type TestProgram } from "../../run/processes.ts";
import { residentMb } from "./resident-memory.ts";

const path = "/svc.v1.CommandService/ProcessCheckResults";

/**
 * Growth of the agent's memory that is accepted, MB; the half-sent bodies below have 2 100 MB together. Bodies have a
 * budget of 256 MiB, and the garbage collection gives memory back late: up to 300 MB were seen.
 */
const maxGrowthMb = 500;

const scope = fileScope();
let agent: TestProgram;
let startMb = 0;
before(async () => {
  const check = 'check: {type: "passive", freshness_threshold: "1h", flap: {}}';
  agent = await startTestAgent(scope, { config: `hosts: web1: {address: "x", ${check}}\n` });
  await readOnce();
  startMb = residentMb(agent.pid);
});

/** Asks for the health and for a row, on a connection that is free or new. */
async function readOnce(): Promise<void> {
  const [health, rows] = await Promise.all([
    fetch(`${agent.base}/healthz`),
    call(agent.base, "QueryService/ListStatus", {}),
  ]);
  assert.deepEqual([health.status, rows.ok], [200, true]);
  await health.text();
}

/** Waits until the agent has the memory that it had, up to `maxGrowthMb`, while it serves calls. */
async function untilMemoryIsFree(): Promise<void> {
  const growth = () => Math.round(residentMb(agent.pid) - startMb);
  const isFree = async () => {
    await readOnce();
    return growth() < maxGrowthMb;
  };
  await until(`at most ${maxGrowthMb} MB more are resident`, isFree, { seen: growth });
}

/** A batch of 14 MB: 1 000 results of 14 kB. */
const batch = Buffer.from(
  JSON.stringify({
    results: Array.from({ length: 1_000 }, () => ({
      object: { host: { name: "web1" } },
      status: "STATUS_OK",
      output: "up",
      longOutput: "x".repeat(13_900),
    })),
  }),
);
const batches = 20;

/** Sends a batch but for its last byte, from an address of its own, so that no peer's budget refuses it. */
async function sendMost(from: string): Promise<RawConnection> {
  const raw = await openRaw(agent.port, "127.0.0.1", from);
  atEnd(scope, () => void raw.socket.destroy());
  raw.socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${batch.length}\r\n\r\n`,
  );
  raw.socket.write(batch.subarray(0, -1));
  return raw;
}

test("[PT8, PT17] while 20 batches of 14 MB arrive at once, other calls are answered before the last of them", async (t) => {
  const sent = await Promise.all(Array.from({ length: batches }, (_, n) => sendMost(`127.0.1.${n + 1}`)));
  const isAnswered = ({ received }: RawConnection): boolean => /^HTTP\/1\.1 \d+[\s\S]*\r\n\r\n./.test(received());
  const unanswered = () => sent.filter((one) => !one.socket.destroyed && !isAnswered(one)).length;
  // The last one does not fit into the budget of 256 MiB: then the others have arrived.
  await until("a batch is refused", () => unanswered() < batches, { withinMs: 240_000, seen: unanswered });
  for (const { socket } of sent) socket.write(batch.subarray(-1));
  let reads = 0;
  await readOnce();
  while (unanswered() > 0) {
    reads += 1;
    await readOnce();
  }
  const outcomes = sent.map(({ received }) => /"code":"(\w+)"/.exec(received())?.[1] ?? received().slice(9, 12));
  // The deadline of a call is 30 s, which a very slow machine may need until the batches have arrived.
  const expected = ["200", "resource_exhausted", "deadline_exceeded"];
  assert.deepEqual(
    outcomes.filter((outcome) => !expected.includes(outcome)),
    [],
  );
  assert.ok(reads > 0 || outcomes.includes("deadline_exceeded"), "the batches were answered before the first call");
  t.diagnostic(`${reads} rounds of reads; ${outcomes.join(" ")}`);
  for (const { socket } of sent) socket.destroy();
  await untilMemoryIsFree();
});

/** Sends bodies whose end never comes, as streams of one connection. Calls back for each stream that the agent ends. */
function sendHalves(session: ClientHttp2Session, half: Buffer, onEnd: () => void): void {
  for (let n = 0; n < 120; n += 1) {
    const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/json" });
    stream.on("error", () => {});
    stream.on("close", onEnd);
    stream.resume();
    stream.write(half);
  }
}

test("[PT8] 120 half-sent bodies on each of 16 connections leave memory bounded", async (t) => {
  const half = Buffer.alloc(1_100_000, 0x20);
  let ended = 0;
  const sessions = Array.from({ length: 16 }, (_, n) => {
    const session = connect(agent.base, {
      createConnection: () => connectTcp({ port: agent.port, host: "127.0.0.1", localAddress: `127.0.2.${n + 1}` }),
    });
    session.on("error", () => {});
    atEnd(scope, () => session.destroy());
    sendHalves(session, half, () => {
      ended += 1;
    });
    return session;
  });
  // At most 244 of them fit into the budget of 256 MiB. A slow machine ends some of the others at their deadline.
  await until("the others are refused", () => ended >= 16 * 120 - 244, {
    withinMs: 240_000,
    seen: () => ended,
  });
  await untilMemoryIsFree();
  t.diagnostic(`${Math.round(residentMb(agent.pid) - startMb)} MB more with half-sent bodies`);
  for (const session of sessions) session.destroy();
  await untilMemoryIsFree();
  t.diagnostic(`${Math.round(residentMb(agent.pid) - startMb)} MB more at the end`);
});
