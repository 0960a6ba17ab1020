import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import type { TestScope, TestProgram } from "../../run/processes.ts";
import { sendCommand, hostTarget } from "../../run/rows.ts";
import {
  waitForConvergence,
  type UpdateFlow,
  type UpdateFlowSize,
  waitForProgress,
  waitForWholeHistory,
  flowRealms,
  startUpdateFlow,
  fullStatus,
  unreachableAfterMs,
  watchRowVersions,
  watchRedisVersions,
} from "./centre-flow.ts";

/** What came of it, to be printed. */
export type CentreCounts = {
  readonly updates: number;
  readonly aSecond: number;
  readonly rowsRead: number;
  /** From the end of the last fault until both centres showed what the realms show, ms. */
  readonly convergedMs: readonly number[];
  readonly records: number;
  /** Of the calls that were on their way while a centre ended, by their code. */
  readonly codes: Readonly<Record<string, number>>;
};

/**
 * Kills and ends two aggregators of one Redis, one by one and both at once, in the middle of a flow of updates, `rounds`
 * times; meanwhile hosts go and come back, and an agent is killed too. Throws where a row went back, where a centre does
 * not show what the realms show once it is over, or where its history has holes or repetitions.
 */
export async function injectCentreFaults(
  scope: TestScope,
  { size, rounds, readEveryMs }: { readonly size: UpdateFlowSize; readonly rounds: number; readonly readEveryMs: number },
): Promise<CentreCounts & { readonly flow: UpdateFlow }> {
  const startedMs = performance.now();
  const flow = await startUpdateFlow(scope, size);
  const [one, two] = flow.centres;
  await Promise.all([waitForProgress(one), waitForProgress(two)]);
  const readers = [...[one, two].map((centre) => watchRowVersions(centre, readEveryMs)), watchRedisVersions(flow, readEveryMs)];
  const codes: Record<string, number> = {};
  const fifth = Math.floor(size.objects / 5);
  for (let round = 0; round < rounds; round += 1) {
    // What it had taken before it comes to write after the other one has written newer rows.
    one.signal("SIGSTOP");
    await waitForProgress(two);
    one.signal("SIGCONT");
    await waitForProgress(one);
    await killWhileWriting(one, flow, 10 * size.batch);
    flow.removeHosts("fra", fifth * (1 + (round % 2)));
    await waitForProgress(two);
    await one.restart();
    for (const code of await endInOrder(two)) codes[code] = (codes[code] ?? 0) + 1;
    await waitForProgress(one);
    await Promise.all([one.stop("SIGKILL"), flow.realms.dub.stop("SIGKILL")]);
    flow.removeHosts("ams", round % 2 === 0 ? fifth : 0);
    flow.removeHosts("dub", round % 2 === 0 ? fifth : 0);
    await flow.realms.dub.restart();
    await Promise.all([one.restart(), two.restart()]);
    await Promise.all([waitForProgress(one), waitForProgress(two)]);
  }
  // The last fault: whatever the dead one had taken and not written is the other one's to write.
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
    aSecond: Math.round(flow.sent() / seconds),
    rowsRead,
    convergedMs,
    records,
    codes,
  };
}

/** Kills a centre while messages pile up in it, since Redis stands still for `updates` of them. */
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

/** Ends a centre by SIGTERM while commands are on their way through it. Answers what became of those. */
async function endInOrder(centre: TestProgram): Promise<string[]> {
  let ending = false;
  const codes: string[] = [];
  const stream = Array.from({ length: 4 }, async (_, at) => {
    const realm = flowRealms[at % flowRealms.length];
    while (!ending) {
      const request = { target: hostTarget("h0"), author: "ann", text: `on its way ${at}` };
      const answer = await call(centre.base, "RealmCommandService/AddComment", { realm, request });
      codes.push(answer.ok ? "ok" : answer.code);
    }
  });
  await until("commands pass", () => codes.includes("ok"));
  const sent = Promise.allSettled(stream);
  assert.equal(await centre.stop("SIGTERM"), 0, centre.output().slice(-2_000));
  ending = true;
  for (const end of await sent) {
    // Once the port is closed there is nobody to answer; what was taken before is answered.
    const cause = end.status === "rejected" ? String((end.reason as Error).cause) : "";
    assert.ok(cause === "" || /ECONNREFUSED|other side closed|ECONNRESET/.test(cause), cause);
  }
  assert.deepEqual(
    codes.filter((code) => code !== "ok" && code !== "unavailable"),
    [],
  );
  return codes;
}

/** [F06] While a realm's agent hangs, calls to it that are on their way when a centre ends are `unavailable` before that ends. */
export async function stopDuringHangingCall({ realms, centres: [, centre] }: UpdateFlow): Promise<void> {
  for (const realm of ["fra", "ams"] as const) realms[realm].signal("SIGSTOP");
  try {
    const calls = (["fra", "ams"] as const).map((realm) =>
      call(centre.base, "RealmCommandService/ScheduleCheck", { realm, request: { target: hostTarget("h0") } }),
    );
    // What was sent before this is on its way once this is answered.
    const request = { target: hostTarget("h0"), author: "ann", text: "after them" };
    for (let turn = 0; turn < 3; turn += 1)
      await sendCommand(centre.base, "RealmCommandService/AddComment", { realm: "dub", request });
    const askedMs = performance.now();
    const ended = centre.stop("SIGTERM");
    const codes = (await Promise.all(calls)).map(({ code }) => code);
    assert.deepEqual(codes, ["unavailable", "unavailable"]);
    assert.equal(await ended, 0);
    assert.ok(performance.now() - askedMs < 10_000, "whoever waits for its end has ten seconds of patience");
  } finally {
    for (const realm of ["fra", "ams"] as const) realms[realm].signal("SIGCONT");
  }
}

/**
 * [I8] A realm dies while no centre runs. One that starts at once counts its silence from its last heartbeat; one that
 * starts later, and one that knows of no heartbeat, never show it as reachable.
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
    assert.ok(reachable !== true || askedMs < diedMs + unreachableAfterMs, "silence counts from the last heartbeat");
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
    assert.equal(rows, (await fullStatus(one, { realm: "ams" }))?.rows.length, "its rows are kept");
    const refused = await call(centre.base, "RealmCommandService/ScheduleCheck", {
      realm: "ams",
      request: { target: hostTarget("h0") },
    });
    assert.equal(refused.code, "unavailable");
  }
  for (let look = 0; look < 20; look += 1) {
    for (const centre of [one, two, alone]) assert.equal(await isReachable(centre), false);
    await sleep(50);
  }
  await realms.ams.restart();
  for (const centre of [one, two, alone])
    await until("it is reachable", async () => (await isReachable(centre)) === true, { withinMs: 30_000 });
  await alone.stop();
}

export const formatCentreCounts = ({ updates, aSecond, rowsRead, convergedMs, records, codes }: CentreCounts): string =>
  `${updates} updates (${aSecond} a second), ${rowsRead} rows read, converged after ${convergedMs.join(" and ")} ms, ` +
  `${records} history records, calls while ending: ${JSON.stringify(codes)}`;
