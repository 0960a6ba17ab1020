import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import type { TestProgram } from "../../run/processes.ts";
import { hostTarget, sendCommand } from "../../run/rows.ts";
import { faultRealms } from "../fault-realms.ts";
import { startUpdateFlow, type UpdateFlow, type UpdateFlowSize, unreachableAfterMs } from "./centre-flow.ts";
import { fullStatus, waitForConvergence, waitForProgress, waitForWholeHistory } from "./centre-rows.ts";
import { watchRedisVersions, watchRowVersions } from "./version-watch.ts";

/** Result of a run. */
type CentreCounts = {
  readonly updates: number;
  readonly updatesPerSecond: number;
  readonly rowsRead: number;
  /** Time from the end of the last fault until each centre had the rows of the realms, ms. */
  readonly convergedMs: readonly number[];
  readonly records: number;
  /** Calls in flight while a centre was stopped, counted by code. */
  readonly codes: Readonly<Record<string, number>>;
};

/**
 * Kills and stops two aggregators of one Redis, one at a time and both together, during a flow of updates, `rounds`
 * times. Meanwhile hosts are removed and added again, and an agent is killed too. Throws when a row was replaced by an
 * older one, a centre does not converge to the realms, or its history has gaps or duplicates.
 */
export async function injectCentreFaults(
  scope: TestScope,
  {
    size,
    rounds,
    readEveryMs,
  }: { readonly size: UpdateFlowSize; readonly rounds: number; readonly readEveryMs: number },
): Promise<CentreCounts & { readonly flow: UpdateFlow }> {
  const startedMs = performance.now();
  const flow = await startUpdateFlow(scope, size);
  const [one, two] = flow.centres;
  await Promise.all([waitForProgress(one), waitForProgress(two)]);
  const readers = [
    ...[one, two].map((centre) => watchRowVersions(centre, readEveryMs)),
    watchRedisVersions(flow, readEveryMs),
  ];
  const codes: Record<string, number> = {};
  const fifth = Math.floor(size.objects / 5);
  for (let round = 0; round < rounds; round += 1) {
    // Paused with rows in memory: it writes them after the other one has written newer rows.
    one.signal("SIGSTOP");
    await waitForProgress(two);
    one.signal("SIGCONT");
    await waitForProgress(one);
    await killWhileWriting(one, flow, 10 * size.batch);
    flow.removeHosts("fra", fifth * (1 + (round % 2)));
    await waitForProgress(two);
    await one.restart();
    for (const code of await stopUnderCommands(two)) codes[code] = (codes[code] ?? 0) + 1;
    await waitForProgress(one);
    await Promise.all([one.stop("SIGKILL"), flow.realms.dub.stop("SIGKILL")]);
    flow.removeHosts("ams", round % 2 === 0 ? fifth : 0);
    flow.removeHosts("dub", round % 2 === 0 ? fifth : 0);
    await flow.realms.dub.restart();
    await Promise.all([one.restart(), two.restart()]);
    await Promise.all([waitForProgress(one), waitForProgress(two)]);
  }
  // The last fault: rows that the killed one had received and not written have to be written by the other one.
  await killWhileWriting(two, flow, 10 * size.batch);
  await flow.stop();
  const convergedMs = [Math.round(await waitForConvergence(one, flow))];
  await two.restart();
  convergedMs.push(Math.round(await waitForConvergence(two, flow)));
  const records = await waitForWholeHistory(one, flow);
  assert.equal(await waitForWholeHistory(two, flow), records);
  const rowsRead = readers.reduce((sum, reader) => sum + reader.rowsRead(), 0);
  await Promise.all(readers.map((reader) => reader.stop()));
  const seconds = (performance.now() - startedMs) / 1_000;
  return {
    flow,
    updates: flow.sent(),
    updatesPerSecond: Math.round(flow.sent() / seconds),
    rowsRead,
    convergedMs,
    records,
    codes,
  };
}

/** Kills a centre that has `updates` messages in memory, because Redis is paused meanwhile. */
async function killWhileWriting(centre: TestProgram, flow: UpdateFlow, updates: number): Promise<void> {
  flow.holdRedis(true);
  try {
    const before = flow.sent();
    await until("updates wait for Redis", () => flow.sent() >= before + updates, { withinMs: 60_000 });
    await centre.stop("SIGKILL");
  } finally {
    flow.holdRedis(false);
  }
}

/** Stops a centre by SIGTERM while commands pass through it. Resolves to the codes of those. */
async function stopUnderCommands(centre: TestProgram): Promise<string[]> {
  let ending = false;
  const codes: string[] = [];
  const stream = Array.from({ length: 4 }, async (_, at) => {
    const realm = faultRealms[at % faultRealms.length];
    while (!ending) {
      const request = { target: hostTarget("h0"), author: "ann", text: `in flight ${at}` };
      const answer = await call(centre.base, "RealmCommandService/AddComment", { realm, request });
      codes.push(answer.ok ? "ok" : answer.code);
    }
  });
  await until("commands pass", () => codes.includes("ok"));
  const sent = Promise.allSettled(stream);
  assert.equal(await centre.stop("SIGTERM"), 0, centre.output().slice(-2_000));
  ending = true;
  for (const end of await sent) {
    // A call after the port was closed fails to connect; all calls accepted before are answered.
    const cause = end.status === "rejected" ? String((end.reason as Error).cause) : "";
    assert.ok(cause === "" || /ECONNREFUSED|other side closed|ECONNRESET/.test(cause), cause);
  }
  assert.deepEqual(
    codes.filter((code) => !["ok", "unavailable", "deadline_exceeded"].includes(code)),
    [],
  );
  return codes;
}

/** [FE4] Asserts that calls to a realm whose agent hangs have an unknown outcome before a stopped centre ends. */
export async function stopDuringHangingCall({ realms, centres: [, centre] }: UpdateFlow): Promise<void> {
  for (const realm of ["fra", "ams"] as const) realms[realm].signal("SIGSTOP");
  try {
    const calls = (["fra", "ams"] as const).map((realm) =>
      call(centre.base, "RealmCommandService/ScheduleCheck", { realm, request: { target: hostTarget("h0") } }),
    );
    // Once these calls are answered, the calls sent before them are in flight.
    const request = { target: hostTarget("h0"), author: "ann", text: "after them" };
    for (let turn = 0; turn < 3; turn += 1)
      await sendCommand(centre.base, "RealmCommandService/AddComment", { realm: "dub", request });
    const askedMs = performance.now();
    const ended = centre.stop("SIGTERM");
    const codes = (await Promise.all(calls)).map(({ code }) => code);
    assert.deepEqual(codes, ["deadline_exceeded", "deadline_exceeded"]);
    assert.equal(await ended, 0);
    assert.ok(performance.now() - askedMs < 10_000, "the centre ends within ten seconds");
  } finally {
    for (const realm of ["fra", "ams"] as const) realms[realm].signal("SIGCONT");
  }
}

/**
 * [FE3] Kills a realm while no centre runs. A centre that starts at once counts from the realm's last heartbeat; one that
 * starts later, and one without a stored heartbeat, never return it as reachable.
 */
export async function loseRealmWithoutCentres({ realms, centres: [one, two], startAlone }: UpdateFlow): Promise<void> {
  await Promise.all([one.stop("SIGTERM"), two.stop("SIGTERM")]);
  await realms.ams.stop("SIGKILL");
  const diedMs = performance.now();
  const isReachable = async (centre: TestProgram): Promise<boolean | undefined> =>
    (await fullStatus(centre))?.realms.find(({ name }) => name === "ams")?.reachable;
  await one.restart();
  await until("it is unreachable", async () => {
    const askedMs = performance.now();
    const reachable = await isReachable(one);
    assert.ok(reachable !== true || askedMs < diedMs + unreachableAfterMs, "the time counts from the last heartbeat");
    return reachable === false;
  });
  const [alone] = await Promise.all([startAlone(), two.restart()]);
  for (const centre of [two, alone]) {
    const first = await until(
      "it answers",
      async () => {
        const reachable = await isReachable(centre);
        return reachable !== undefined && { reachable };
      },
      { withinMs: 60_000 },
    );
    assert.equal(first.reachable, false);
    const rows = (await fullStatus(centre, { realm: "ams" }))?.rows.length;
    assert.equal(rows, (await fullStatus(one, { realm: "ams" }))?.rows.length, "its rows stay");
    const refused = await call(centre.base, "RealmCommandService/ScheduleCheck", {
      realm: "ams",
      request: { target: hostTarget("h0") },
    });
    assert.equal(refused.code, "unavailable");
  }
  for (let query = 0; query < 20; query += 1) {
    for (const centre of [one, two, alone]) assert.equal(await isReachable(centre), false);
    await sleep(50);
  }
  await realms.ams.restart();
  for (const centre of [one, two, alone])
    await until("it is reachable", async () => (await isReachable(centre)) === true);
  await alone.stop();
}

export const formatCentreCounts = ({
  updates,
  updatesPerSecond,
  rowsRead,
  convergedMs,
  records,
  codes,
}: CentreCounts): string =>
  `${updates} updates (${updatesPerSecond} a second), ${rowsRead} rows read, converged after ${convergedMs.join(" and ")} ms, ` +
  `${records} history records, calls while ending: ${JSON.stringify(codes)}`;
