import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type DeliveredMessage, startWebhookReceiver } from "../../acceptance/webhook-receiver.ts";
import { runRealmwatch } from "../../run/cli.ts";
import { type TestScope, type TestProgram, startTestAgent, startTcpTarget, tempFolder } from "../../run/processes.ts";
import { sendCommand, type JsonRow, statusRows } from "../../run/rows.ts";
import { storedAuditRecords, type HistoryRecordJson, wholeHistory, newestAuditRecords } from "./stored-records.ts";
import { commentedHosts, type ClientRecord, newClientRecord, batchHosts, runLoad, stableHosts } from "./kill-load.ts";

const token = "an-admin-token-0123456789abcdefghij";
const headers = { authorization: `Bearer ${token}` };

const documentOf = (hook: string, target: string): string => {
  const passive = `check: {type: "passive", freshness_threshold: "10h", max_attempts: 1, flap: {enabled: false}}`;
  const quick = `check: {type: "tcp", address: "${target}", check_interval: "300ms", timeout: "2s", flap: {enabled: false}}`;
  const plain = ["c0", "e0", "d0", ...stableHosts].map((name) => `hosts: ${name}: {address: "127.0.0.1", ${passive}}`);
  const told = [...batchHosts, "broken"].map(
    (name) => `hosts: ${name}: {address: "127.0.0.1", notification: "ops", ${passive}}`,
  );
  const checked = ["t0", "t1", "t2"].map((name) => `hosts: ${name}: {address: "127.0.0.1", ${quick}}`);
  return [
    `contacts: ann: {type: "webhook", url: "${hook}/ann"}`,
    `notifications: ops: levels: [{contacts: ["ann"], renotify_interval: "0s"}]`,
    ...[...plain, ...told, ...checked, ""],
  ].join("\n");
};

/** What came of it, to be printed. */
export type KillCounts = {
  readonly rounds: number;
  readonly accepted: number;
  readonly refused: number;
  readonly unknown: number;
  /** Of the unknown ones, those that came to pass. */
  readonly unknownKept: number;
  readonly lines: number;
  readonly linesKept: number;
  readonly hardProblems: number;
  readonly messages: number;
  readonly twice: number;
};

/**
 * Kills an agent under load `rounds` times, at moments of chance, and compares what its clients know with what it knows
 * then. Throws where something accepted is gone, was done twice or was audited otherwise than once, where a message
 * came more often than once and once more for each kill, or where a hard problem was neither told nor explained.
 */
export async function killUnderLoad(
  scope: TestScope,
  { rounds, seed }: { readonly rounds: number; readonly seed: number },
): Promise<KillCounts> {
  const chance = seededRandom(seed);
  const { delivered, url } = await startWebhookReceiver(scope);
  const target = await startTcpTarget(scope);
  const folder = tempFolder(scope, "kills");
  const [auth, fifo] = [join(folder, "auth.cue"), join(folder, "commands")];
  writeFileSync(
    auth,
    `auth: root: {role: "admin", token_hash: "sha256:${createHash("sha256").update(token).digest("hex")}"}\n`,
  );
  const agent = await startTestAgent(scope, {
    config: documentOf(url, target.address),
    flags: { "auth-config": auth, "command-file": fifo, "log-level": "error" },
  });
  const broken = { object: { host: { name: "broken" } }, status: "STATUS_CRITICAL", output: "broken for good" };
  await sendCommand(agent.base, "ProcessCheckResult", broken, headers);
  const ledger = newClientRecord();
  const killsAtMs: number[] = [];
  let last = 0;
  for (let round = 0; round < rounds; round += 1) {
    let killed = false;
    const load = runLoad({ base: agent.base, headers, fifo, chance, ledger, next: () => ++last }, () => killed);
    await sleep(150 + chance.upTo(900));
    killsAtMs.push(performance.now());
    await agent.stop("SIGKILL");
    killed = true;
    await load;
    await agent.restart();
  }
  const { history, rows } = await settledEvidence(agent, ledger, delivered);
  const kept = assertAudit(agent, ledger);
  await assertAuditOfApi(agent);
  assertComments(ledger, { history, rows });
  assertToggles(ledger, rows);
  assertBatches(ledger, rows);
  assertEqualResults(ledger, rows);
  const linesKept = assertCommandFileLines(ledger, { history, agent });
  const counts = countMessages(delivered, killsAtMs);
  const verified = await runRealmwatch(["audit", "verify", "-data-dir", agent.dataDir]);
  assert.match(verified.stdout, /the audit log is intact/, verified.stderr);
  const fates = Object.groupBy(ledger.sent, ({ fate }) => fate);
  return {
    ...{ rounds, accepted: fates.ok?.length ?? 0, refused: fates.refused?.length ?? 0 },
    ...{ unknown: fates.unknown?.length ?? 0, unknownKept: kept, lines: ledger.lines.length, linesKept },
    hardProblems: hardProblemsOf(history).length,
    ...{ messages: counts.size, twice: [...counts.values()].filter((times) => times > 1).length },
  };
}

type Evidence = { readonly history: HistoryRecordJson[]; readonly rows: Readonly<Record<string, JsonRow>> };

/** [I3] Waits until every hard problem of a passive host was told or is explained, and answers what is known then. */
async function settledEvidence(agent: TestProgram, ledger: ClientRecord, arrivals: readonly DeliveredMessage[]): Promise<Evidence> {
  let silent: string[] = [];
  let [arrived, quietSinceMs] = [0, performance.now()];
  const history = await until(
    "every hard problem is told or explained",
    async () => {
      if (arrivals.length > arrived) [arrived, quietSinceMs] = [arrivals.length, performance.now()];
      const records = await wholeHistory(agent, headers);
      const told = new Set(
        arrivals.flatMap((one) => one.notifications).map(({ object, kind, output }) => `${object.name} ${kind} ${output}`),
      );
      const explained = new Set(
        records
          .filter(({ type }) => /NOTIFICATION_(SUPPRESSED|FAILED)$/.test(type))
          .map(({ object, at }) => `${object?.host?.name} ${at}`),
      );
      silent = hardProblemsOf(records)
        .filter(({ object, output, at }) => {
          const name = object?.host?.name ?? "";
          return !told.has(`${name} PROBLEM ${output}`) && !explained.has(`${name} ${at}`);
        })
        .map(({ object, output }) => `${object?.host?.name}: ${output}`);
      return silent.length === 0 && records;
    },
    // As long as messages arrive there may be more to come.
    { withinMs: 600_000, stopWhen: () => performance.now() - quietSinceMs > 20_000 },
  ).catch((error: unknown) => assert.fail(`${error}; silent: ${silent.slice(0, 5).join(", ")} of ${silent.length}`));
  assert.equal(
    history.some(({ type }) => type === "HISTORY_TYPE_GAP"),
    false,
    "nothing is missing in history",
  );
  assert.ok(ledger.sent.length > 0);
  return { history, rows: await statusRows(agent.base, {}, headers) };
}

const hardProblemsOf = (history: readonly HistoryRecordJson[]): HistoryRecordJson[] =>
  history.filter(
    ({ type, object, status, stateType }) =>
      type === "HISTORY_TYPE_STATE" &&
      stateType === "STATE_TYPE_HARD" &&
      status === "STATUS_CRITICAL" &&
      batchHosts.includes(object?.host?.name ?? ""),
  );

/** [I1, I16] One record for each accepted call, none that says so for a refused one, one or none for an unknown one. */
function assertAudit(agent: TestProgram, { sent }: ClientRecord): number {
  const accepted = new Map<string, number>();
  for (const { requestId, outcome, source } of storedAuditRecords(agent))
    if (source === "api" && outcome === "accepted") accepted.set(requestId, (accepted.get(requestId) ?? 0) + 1);
  let unknownKept = 0;
  for (const { id, rpc, fate } of sent) {
    const times = accepted.get(id) ?? 0;
    if (fate === "ok") assert.equal(times, 1, `${rpc} ${id} was accepted`);
    else if (fate === "refused") assert.equal(times, 0, `${rpc} ${id} was refused`);
    else assert.ok(times <= 1, `${rpc} ${id} is recorded ${times} times`);
    if (fate === "unknown") unknownKept += times;
  }
  return unknownKept;
}

async function assertAuditOfApi(agent: TestProgram): Promise<void> {
  const shown = (await newestAuditRecords(agent, headers)).map(({ requestId = "" }) => requestId);
  const kept = storedAuditRecords(agent).slice(-shown.length).reverse();
  assert.deepEqual(
    shown,
    kept.map(({ requestId }) => requestId),
  );
}

/** [I1] Each comment that was accepted came once, and is there unless it was deleted. */
function assertComments({ comments }: ClientRecord, { history, rows }: Evidence): void {
  const added = new Map<string, number>();
  for (const { type, comment = "" } of history)
    if (type === "HISTORY_TYPE_COMMENT_ADDED") added.set(comment, (added.get(comment) ?? 0) + 1);
  const textsOf = (host: string): string[] => (rows[host]?.comments ?? []).map(({ text }) => text);
  const present = new Set(commentedHosts.flatMap((host) => textsOf(host).map((text) => `${host} ${text}`)));
  for (const host of [...commentedHosts, "e0"])
    assert.equal(new Set(textsOf(host)).size, textsOf(host).length, "no comment twice");
  for (const [text, { host, id, there }] of comments) {
    const times = added.get(text) ?? 0;
    if (id !== "") assert.equal(times, 1, `${text} was accepted`);
    else assert.ok(times <= 1, `${text} came ${times} times`);
    if (there !== undefined) assert.equal(present.has(`${host} ${text}`), there, `${text} is there or not`);
  }
}

/** [I1] What a host that is well shows is the last accepted result, or one after it that nobody knows of. */
function assertEqualResults({ quiet }: ClientRecord, rows: Evidence["rows"]): void {
  for (const [host, results] of quiet) {
    const lastAccepted = results.findLastIndex(({ fate }) => fate === "ok");
    const possible = results.slice(Math.max(0, lastAccepted)).filter(({ fate }) => fate !== "refused");
    const shown = rows[host]?.output ?? "";
    if (lastAccepted >= 0)
      assert.ok(
        possible.some(({ number }) => shown === `quiet ${number}`),
        `${host} shows ${shown}; possible are ${possible.map(({ number }) => number)}`,
      );
  }
}

function assertToggles({ last }: ClientRecord, rows: Evidence["rows"]): void {
  const found = {
    notifications: rows["c0"]?.notificationsEnabled,
    checks: rows["c0"]?.passiveChecksEnabled,
    acknowledged: rows["broken"]?.acknowledgement !== undefined,
  };
  for (const [name, value] of Object.entries(found)) {
    const wanted = last.get(name as keyof typeof found);
    if (wanted !== undefined) assert.equal(value ?? false, wanted, name);
  }
}

/** [I1] What hosts show is the last accepted batch, or one after it that nobody knows of. */
function assertBatches({ batches }: ClientRecord, rows: Evidence["rows"]): void {
  const lastAccepted = batches.findLastIndex(({ fate }) => fate === "ok");
  if (lastAccepted < 0) return;
  const possible = batches.slice(lastAccepted).filter(({ fate }) => fate !== "refused");
  const shown = possible.find(({ number }) => rows["p0"]?.output === `batch ${number}`);
  assert.ok(shown, `p0 shows ${rows["p0"]?.output}; possible are ${possible.map(({ number }) => number)}`);
  for (const name of batchHosts)
    assert.deepEqual([rows[name]?.output, rows[name]?.status], [`batch ${shown.number}`, shown.status], name);
}

/** [I16] A line came to pass once, with one record, or not at all, with none. */
function assertCommandFileLines({ lines }: ClientRecord, { history, agent }: { history: HistoryRecordJson[]; agent: TestProgram }): number {
  const count = (texts: readonly string[]): Map<string, number> =>
    texts.reduce((counts, text) => counts.set(text, (counts.get(text) ?? 0) + 1), new Map<string, number>());
  const added = count(
    history.filter(({ type }) => type === "HISTORY_TYPE_COMMENT_ADDED").map(({ comment = "" }) => comment),
  );
  const audited = count(
    storedAuditRecords(agent)
      .filter(({ source, outcome }) => source === "extcmd" && outcome === "accepted")
      .map(({ commandJson }) => /line \d+/.exec(commandJson)?.[0] ?? ""),
  );
  for (const text of lines) {
    const [times, records] = [added.get(text) ?? 0, audited.get(text) ?? 0];
    assert.ok(times <= 1, `${text} came ${times} times`);
    assert.equal(records, times, `records of ${text}`);
  }
  return lines.filter((text) => added.has(text)).length;
}

/** [I4] No message comes twice but for a kill between its arrivals. */
function countMessages(arrivals: readonly DeliveredMessage[], killsAtMs: readonly number[]): ReadonlyMap<string, number> {
  const seen = new Map<string, number[]>();
  for (const { atMs, notifications } of arrivals) for (const { id } of notifications) seen.set(id, [...(seen.get(id) ?? []), atMs]);
  for (const [id, times] of seen) {
    const [from = 0, to = 0] = [times[0], times.at(-1)];
    // What left the agent before the kill may arrive a moment after it.
    const kills = killsAtMs.filter((atMs) => atMs > from - 1_000 && atMs < to).length;
    assert.ok(times.length <= 1 + kills, `${id} came ${times.length} times, over ${kills} kills`);
  }
  return new Map([...seen].map(([id, times]) => [id, times.length]));
}

export const formatKillCounts = (counts: KillCounts, seed: number): string =>
  `seed ${seed}: ${Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ")}`;
