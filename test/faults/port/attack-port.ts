import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { startTestAgent } from "../../run/processes.ts";
import { portAttacks } from "./port-attacks.ts";

export type AttackResult = {
  readonly attacks: number;
  /** Calls of a client that behaves well, and the longest of them, ms. */
  readonly calls: number;
  readonly longestCallMs: number;
  /** Growth of the agent's resident memory from the first seconds to the end, MB. */
  readonly grownMb: number;
};

/** Number of attacks at the same time. */
const concurrency = 8;

const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;

/** Attacks an agent's port for a time, while a client that behaves well calls it. Fails when a call of that client does. */
export async function attackPort(t: TestContext, seconds: number): Promise<AttackResult> {
  const seed = testSeed(t);
  const check = '{type: "passive", freshness_threshold: "1h", flap: {}}';
  const agent = await startTestAgent(t, { config: `hosts: web1: {address: "x", check: ${check}}\n` });
  const endMs = performance.now() + seconds * 1_000;
  const names = Object.keys(portAttacks) as [string, ...string[]];
  let attacks = 0;
  let warmMb = 0;
  async function attack(chance: ReturnType<typeof seededRandom>): Promise<void> {
    while (performance.now() < endMs) {
      const name = chance.oneOf(names);
      await portAttacks[name]?.(agent.port, chance).catch((error: NodeJS.ErrnoException) => {
        // The server may close a connection at any time.
        if (error.code === undefined) throw new Error(`${name}, SEED=${seed}: ${error.message}`);
      });
      attacks += 1;
      if (attacks === 200) warmMb = residentMb(agent.pid);
    }
  }
  let calls = 0;
  let longestCallMs = 0;
  async function behaveWell(): Promise<void> {
    const url = `${agent.base}/svc.v1.QueryService/ListStatus`;
    const headers = { "content-type": "application/json" };
    while (performance.now() < endMs) {
      const startedMs = performance.now();
      const response = await fetch(url, { method: "POST", headers, body: '{"search":"web"}' });
      assert.match(await response.text(), /"web1"/, `SEED=${seed}`);
      longestCallMs = Math.max(longestCallMs, performance.now() - startedMs);
      calls += 1;
      await new Promise((done) => setTimeout(done, 20));
    }
  }
  const all = Array.from({ length: concurrency }, (_, n) => attack(seededRandom(seed + n)));
  await Promise.all([behaveWell(), ...all]);
  const grownMb = residentMb(agent.pid) - (warmMb || residentMb(agent.pid));
  assert.equal((await fetch(`${agent.base}/healthz`)).status, 200);
  assert.equal(await agent.stop(), 0, agent.output());
  return { attacks, calls, longestCallMs: Math.round(longestCallMs), grownMb: Math.round(grownMb) };
}
