import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startTestAgent } from "../../run/processes.ts";
import { portAttacks } from "./port-attacks.ts";
import { residentMb } from "./resident-memory.ts";

type AttackResult = {
  readonly attacks: number;
  /** Calls of a client that behaves well, and the longest of them, ms. */
  readonly calls: number;
  readonly longestCallMs: number;
  /** Growth of the agent's resident memory from the first attacks to the end of the last one, MB. */
  readonly grownMb: number;
};

/** Number of attacks at the same time. */
const concurrency = 8;

/** Number of attacks after which the agent has run all of its code, and its memory is the start of the comparison. */
const warmUpAttacks = 200;
/** Number of attacks made at least, however slow the machine is, so that memory is compared over some time. */
const minAttacks = 2 * warmUpAttacks;
/** Growth of the agent's memory from the first attacks that may stay, MB: a leak of a few kB an attack is more. */
const maxKeptMb = 100;
/** Time in which the rest must be given back, ms: collections stop a thread for at most 0.1 % of its time. */
const givenBackMs = 120_000;

/**
 * Attacks an agent's port for a time, but `minAttacks` times at least, while a client that behaves well calls it. Fails
 * when a call of that client does, or when memory does not come back afterwards.
 */
export async function attackPort(t: TestContext, seconds: number): Promise<AttackResult> {
  const seed = testSeed(t);
  const check = '{type: "passive", freshness_threshold: "1h", flap: {}}';
  const agent = await startTestAgent(t, { config: `hosts: web1: {address: "x", check: ${check}}\n` });
  const endMs = performance.now() + seconds * 1_000;
  const names = Object.keys(portAttacks) as [string, ...string[]];
  let attacks = 0;
  let warmMb = 0;
  const isUnderAttack = (): boolean => performance.now() < endMs || attacks < minAttacks;
  async function attack(chance: ReturnType<typeof seededRandom>): Promise<void> {
    while (isUnderAttack()) {
      const name = chance.oneOf(names);
      await portAttacks[name]?.(agent.port, chance).catch((error: NodeJS.ErrnoException) => {
        // The server may close a connection at any time.
        if (error.code === undefined) throw new Error(`${name}, SEED=${seed}: ${error.message}`);
      });
      attacks += 1;
      if (attacks === warmUpAttacks) warmMb = residentMb(agent.pid);
    }
  }
  let calls = 0;
  let longestCallMs = 0;
  async function callWell(): Promise<void> {
    const startedMs = performance.now();
    const headers = { "content-type": "application/json" };
    const url = `${agent.base}/svc.v1.QueryService/ListStatus`;
    const response = await fetch(url, { method: "POST", headers, body: '{"search":"web"}' });
    assert.match(await response.text(), /"web1"/, `SEED=${seed}`);
    longestCallMs = Math.max(longestCallMs, performance.now() - startedMs);
    calls += 1;
  }
  async function behaveWell(): Promise<void> {
    while (isUnderAttack()) {
      await callWell();
      await new Promise((done) => setTimeout(done, 20));
    }
  }
  const all = Array.from({ length: concurrency }, (_, n) => attack(seededRandom(seed + n)));
  await Promise.all([behaveWell(), ...all]);
  const keptMb = () => Math.round(residentMb(agent.pid) - warmMb);
  const grownMb = keptMb();
  const isFree = async (): Promise<boolean> => {
    await callWell();
    return keptMb() < maxKeptMb;
  };
  await until("memory is free", isFree, { withinMs: givenBackMs, seen: keptMb });
  assert.equal((await fetch(`${agent.base}/healthz`)).status, 200);
  assert.equal(await agent.stop(), 0, agent.output());
  return { attacks, calls, longestCallMs: Math.round(longestCallMs), grownMb };
}
