import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { before, test } from "node:test";
import { atEnd, fileScope, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { startNats, startTestAgent, startTestAggregator, type TestProgram } from "../../run/processes.ts";
import { hostileAttacks, hostilePeers } from "./hostile-peers.ts";
import { peakResidentMb, residentMb } from "./resident-memory.ts";

/** Growth of memory above that of an idle program which is accepted during an attack, and a minute later, MB. */
const maxGrowthMb = 400;
const maxKeptMb = 250;
/** Number of calls of a client that behaves well at the beginning and at the end of an attack. */
const politeCalls = 5;

/** Programs under attack. */
type AttackedPrograms = Readonly<Record<"agent" | "aggregator", TestProgram>>;

/** Starts the target of a check. Returns its address. */
async function startTarget(scope: TestScope, onCheck: () => void): Promise<string> {
  const server = createServer((socket) => {
    onCheck();
    socket.on("error", () => undefined).end("hello\n");
  });
  atEnd(scope, () => new Promise((done) => server.close(done)));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return typeof address === "object" && address !== null ? `127.0.0.1:${address.port}` : "";
}

async function startPrograms(scope: TestScope, onCheck: () => void): Promise<AttackedPrograms> {
  const nats = await startNats(scope);
  const address = await startTarget(scope, onCheck);
  const check = `{type: "tcp", address: "${address}", check_interval: "1s", retry_interval: "1s", timeout: "20s", flap: {}}`;
  const flags = { "nats-url": nats.url };
  const aggregator = await startTestAggregator(scope, { realms: "realms: fra: {}\n", flags });
  const config = `hosts: web1: {address: "x", check: ${check}}\n`;
  const agent = await startTestAgent(scope, { config, realm: "fra", flags });
  return { agent, aggregator };
}

/** Restarts a program, so that no other attack has left anything behind. Returns its memory once it has served calls, MB. */
async function restartIdle(program: TestProgram): Promise<number> {
  await program.restart();
  await until("the program has rows", async () =>
    JSON.stringify((await call(program.base, "QueryService/ListStatus")).body).includes('"web1"'),
  );
  return residentMb(program.pid);
}

async function callPolitely(base: string): Promise<void> {
  const [health, rows] = await Promise.all([fetch(`${base}/healthz`), call(base, "QueryService/ListStatus", {})]);
  await health.text();
  assert.deepEqual([health.status, rows.http], [200, 200], rows.message);
}

/**
 * Declares a test for each attack on an agent and on an aggregator.
 *
 * @param executions number of executions of a check, once a second, for which an attack lasts at least
 */
export function testHostilePeers(executions: number): void {
  const scope = fileScope();
  let executed = 0;
  let programs: AttackedPrograms;
  before(async () => {
    programs = await startPrograms(scope, () => {
      executed += 1;
    });
  });
  for (const name of ["agent", "aggregator"] as const)
    for (const [attack, begin] of Object.entries(hostileAttacks))
      test(`[PT8, PT26, PT27, PT28, PT29] ${name}, ${attack}: others are served, memory is bounded`, async (t) => {
        const program = programs[name];
        const idleMb = await restartIdle(program);
        const { base, port, pid } = program;
        // Begins the measurement of the peak anew.
        writeFileSync(`/proc/${pid}/clear_refs`, "5");
        const executedBefore = executed;
        const peers = hostilePeers(t, port);
        begin(peers);
        for (let n = 0; n < politeCalls; n += 1) await callPolitely(base);
        const isChecked = () => executed >= executedBefore + executions;
        await until("the check is executed", isChecked, { withinMs: 60_000 + executions * 5_000 });
        for (let n = 0; n < politeCalls; n += 1) await callPolitely(base);
        const grownMb = Math.round(peakResidentMb(pid) - idleMb);
        peers.end();
        const keptMb = () => Math.round(residentMb(pid) - idleMb);
        const isFree = async () => {
          await callPolitely(base);
          return keptMb() < maxKeptMb;
        };
        await until("memory is free", isFree, { everyMs: 200, seen: keptMb });
        t.diagnostic(JSON.stringify({ grownMb, keptMb: keptMb(), closed: peers.closed() }));
        assert.ok(grownMb < maxGrowthMb, `memory has grown by ${grownMb} MB`);
      });
}
