import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { tempFolder } from "../../run/processes.ts";
import {
  type CheckCadence,
  checksInFirstSecond,
  formatLoopCounts,
  hostsOffPhase,
  runCrashLoop,
  schedulePhases,
  startLoopingAgent,
} from "./crash-loop.ts";

/** 10 checks a second are due, and 30 make-up checks a second after an outage; all at once would be 200. */
const cadence: CheckCadence = { objects: 200, intervalMs: 20_000, retryMs: 7_000 };

test("[SC1, SC14, DL18] an agent that is killed ten times in a row repeats no notification without a kill and keeps all due times", async (t) => {
  const seed = testSeed(t);
  const chance = seededRandom(seed);
  const counts = await runCrashLoop(t, { cadence, kills: 10, upMs: () => chance.upTo(1_000) });
  t.diagnostic(`SEED=${seed}: ${formatLoopCounts(counts)}`);
  assert.ok(
    counts.inFirstSecond < cadence.objects / 2,
    `${counts.inFirstSecond} checks in the first second of a start`,
  );
});

/** Debian's libfaketime, which simulates an outage of an hour. */
const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
const skip = existsSync(library) ? false : "libfaketime is not installed";

test("[SC1, SC14] after a long outage make-up checks are spread over a retry interval, then the former due times continue", {
  skip,
}, async (t) => {
  const clock = join(tempFolder(t), "clock");
  const set = (offset: string): void => writeFileSync(clock, `${offset}\n`);
  set("+0");
  const { agent, starts } = await startLoopingAgent(t, cadence, {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  });
  const phases = await schedulePhases(agent, cadence);
  await agent.stop();
  set("+1h");
  const stoppedMs = performance.now();
  await agent.restart();
  const since = () => starts.filter(({ atMs }) => atMs > stoppedMs);
  await until("each host was checked", () => new Set(since().map(({ name }) => name)).size === cadence.objects, {
    withinMs: 60_000,
  });
  const inFirstSecond = checksInFirstSecond(starts, stoppedMs);
  t.diagnostic(`${inFirstSecond} checks in the first second, ${since().length} until each host had one`);
  assert.ok(inFirstSecond < cadence.objects / 2, `${inFirstSecond} checks in the first second`);
  await until("each host has its former due time", async () => {
    return hostsOffPhase(phases, await schedulePhases(agent, cadence), cadence).length === 0;
  });
});
