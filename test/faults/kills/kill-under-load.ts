import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type DeliveredMessage, startWebhookReceiver } from "../../acceptance/webhook-receiver.ts";
import { runRealmwatch } from "../../run/cli.ts";
import { startTcpTarget, startTestAgent, type TestProgram, tempFolder } from "../../run/processes.ts";
import { type JsonRow, sendCommand, statusRows } from "../../run/rows.ts";
import { batchHosts, type ClientRecord, commentedHosts, newClientRecord, runLoad, stableHosts } from "./kill-load.ts";
import { type HistoryRecordJson, newestAuditRecords, storedAuditRecords, wholeHistory } from "./stored-records.ts";

const token = "an-admin-token-0123456789abcdefghij";
const headers = { authorization: `Bearer ${token}` };

const documentOf = (hook: string, target: string): string => {
  const passive = `check: {type: "passive", freshness_threshold: "10h", max_attempts: 1, flap: {enabled: false}}`;
  const quick = `check: {type: "tcp", address: "${target}", check_interval: "300ms", timeout: "20s", flap: {enabled: false}}`;
  const plain = ["c0", "e0", "d0", ...stableHosts].map((name) => `hosts: ${name}: {address: "127.0.0.1", ${passive}}`);
  const notifying = [...batchHosts, "broken"].map(
    (name) => `hosts: ${name}: {address: "127.0.0.1", notification: "ops", ${passive}}`,
  );
  const checked = ["t0", "t1", "t2"].map((name) => `hosts: ${name}: {address: "127.0.0.1", ${quick}}`);
  return [
    `contacts: ann: {type: "webhook", url: "${hook}/ann"}`,
    `notifications: ops: levels: [{contacts: ["ann"], renotify_interval: "0s"}]`,
    ...[...plain, ...notifying, ...checked, ""],
  ].join("\n");
};

/** Result of a run. */
type KillCounts = {
  readonly rounds: number;
  readonly accepted: number;
  readonly refused: number;
  readonly unknown: number;
  /** Number of calls with unknown outcome that took effect. */
  readonly unknownApplied: number;
  readonly lines: number;
  readonly linesApplied: number;
  readonly hardProblems: number;
  readonly messages: number;
  readonly duplicates: number;
};

/**
 * Kills an agent under load `rounds` times, at random times, and compares the record of its clients with its state. Throws
 * when an accepted command is lost, applied twice or does not have one audit record, when a notification was repeated
 * without a kill, or when a hard problem was neither notified nor explained in history.
 */
export async function killUnderLoad(
  scope: TestScope,
  { rounds, seed }: { readonly rounds: number; readonly seed: number },
): Promise<KillCounts> {
  const random = seededRandom(seed);
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
  const broken = { object: { host: { name: "broken" } }, status: "STATUS_CRITICAL", output: "critical" };
  await sendCommand(agent.base, "ProcessCheckResult", broken, headers);
  const record = newClientRecord();
  const killsAtMs: number[] = [];
  let last = 0;
  for (let round = 0; round < rounds; round += 1) {
    let killed = false;
    const load = runLoad({ base: agent.base, headers, fifo, random, record, next: () => ++last }, () => killed);
    await sleep(150 + random.upTo(900));
    killsAtMs.push(performance.now());
    await agent.stop("SIGKILL");
    killed = true;
    await load;
    await agent.restart();
  }
  const { history, rows } = await settledEvidence(agent, record, delivered);
  const unknownApplied = assertAudit(agent, record);
  await assertAuditOfApi(agent);
  assertComments(record, { history, rows });
  assertToggles(record, rows);
  assertBatches(record, rows);
  assertEqualResults(record, rows);
  const linesApplied = assertCommandFileLines(record, { history, agent });
  const counts = countMessages(delivered, killsAtMs);
  const verified = await runRealmwatch(["audit", "verify", "-data-dir", agent.dataDir]);
  assert.match(verified.stdout, /the audit log is intact/, verified.stderr);
  const outcomes = Object.groupBy(record.sent, ({ outcome }) => outcome);
  return {
    ...{ rounds, accepted: outcomes.ok?.length ?? 0, refused: outcomes.refused?.length ?? 0 },
    ...{ unknown: outcomes.unknown?.length ?? 0, unknownApplied, lines: record.lines.length, linesApplied },
    hardProblems: hardProblemsOf(history).length,
    ...{ messages: counts.size, duplicates: [...counts.values()].filter((times) => times > 1).length },
  };
}

type Evidence = { readonly history: HistoryRecordJson[]; readonly rows: Readonly<Record<string, JsonRow>> };

/** Waits until every hard problem of a batch host was notified or explained, and returns the state of that time. */
async function settledEvidence(
  agent: TestProgram,
  record: ClientRecord,
  delivered: readonly DeliveredMessage[],
): Promise<Evidence> {
  let unexplained: string[] = [];
  let [arrived, lastArrivalMs] = [0, performance.now()];
  const history = await until(
    "every hard problem is notified or explained",
    async () => {
      if (delivered.length > arrived) [arrived, lastArrivalMs] = [delivered.length, performance.now()];
      const records = await wholeHistory(agent, headers);
      const notified = new Set(
        delivered
          .flatMap((one) => one.notifications)
          .map(({ object, kind, output }) => `${object.name} ${kind} ${output}`),
      );
      const explained = new Set(
        records
          .filter(({ type }) => /NOTIFICATION_(SUPPRESSED|FAILED)$/.test(type))
          .map(({ object, at }) => `${object?.host?.name} ${at}`),
      );
      unexplained = hardProblemsOf(records)
        .filter(({ object, output, at }) => {
          const name = object?.host?.name ?? "";
          return !notified.has(`${name} PROBLEM ${output}`) && !explained.has(`${name} ${at}`);
        })
        .map(({ object, output }) => `${object?.host?.name}: ${output}`);
      return unexplained.length === 0 && records;
    },
    // As long as notifications arrive, more may follow.
    { withinMs: 600_000, stopWhen: () => performance.now() - lastArrivalMs > 60_000 },
  ).catch((error: unknown) =>
    assert.fail(`${error}; unexplained: ${unexplained.slice(0, 5).join(", ")} of ${unexplained.length}`),
  );
  assert.equal(
    history.some(({ type, stoppedAt }) => type === "HISTORY_TYPE_GAP" && stoppedAt === undefined),
    false,
    "history has no gap",
  );
  assert.ok(record.sent.length > 0);
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

/** [AU1] Asserts one record of acceptance for each accepted call, none for a refused one, at most one for an unknown one. */
function assertAudit(agent: TestProgram, { sent }: ClientRecord): number {
  const accepted = new Map<string, number>();
  for (const { requestId, outcome, source } of storedAuditRecords(agent))
    if (source === "api" && outcome === "accepted") accepted.set(requestId, (accepted.get(requestId) ?? 0) + 1);
  let unknownApplied = 0;
  for (const { id, rpc, outcome } of sent) {
    const times = accepted.get(id) ?? 0;
    if (outcome === "ok") assert.equal(times, 1, `${rpc} ${id} was accepted`);
    else if (outcome === "refused") assert.equal(times, 0, `${rpc} ${id} was refused`);
    else assert.ok(times <= 1, `${rpc} ${id} is recorded ${times} times`);
    if (outcome === "unknown") unknownApplied += times;
  }
  return unknownApplied;
}

async function assertAuditOfApi(agent: TestProgram): Promise<void> {
  const shown = (await newestAuditRecords(agent, headers)).map(({ requestId = "" }) => requestId);
  const kept = storedAuditRecords(agent).slice(-shown.length).reverse();
  assert.deepEqual(
    shown,
    kept.map(({ requestId }) => requestId),
  );
}

/** [DU12] Asserts that each accepted comment was added once, and exists unless it was deleted. */
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
    else assert.ok(times <= 1, `${text} was added ${times} times`);
    if (there !== undefined) assert.equal(present.has(`${host} ${text}`), there, `${text} exists or not`);
  }
}

/** [DU12] Asserts that a stable host shows the last accepted result, or a later one with unknown outcome. */
function assertEqualResults({ equalResults }: ClientRecord, rows: Evidence["rows"]): void {
  for (const [host, results] of equalResults) {
    const lastAccepted = results.findLastIndex(({ outcome }) => outcome === "ok");
    const possible = results.slice(Math.max(0, lastAccepted)).filter(({ outcome }) => outcome !== "refused");
    const shown = rows[host]?.output ?? "";
    if (lastAccepted >= 0)
      assert.ok(
        possible.some(({ number }) => shown === `equal ${number}`),
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

/** [DU12] Asserts that all batch hosts show the last accepted batch, or a later one with unknown outcome. */
function assertBatches({ batches }: ClientRecord, rows: Evidence["rows"]): void {
  const lastAccepted = batches.findLastIndex(({ outcome }) => outcome === "ok");
  if (lastAccepted < 0) return;
  const possible = batches.slice(lastAccepted).filter(({ outcome }) => outcome !== "refused");
  const shown = possible.find(({ number }) => rows["p0"]?.output === `batch ${number}`);
  assert.ok(shown, `p0 shows ${rows["p0"]?.output}; possible are ${possible.map(({ number }) => number)}`);
  for (const name of batchHosts)
    assert.deepEqual([rows[name]?.output, rows[name]?.status], [`batch ${shown.number}`, shown.status], name);
}

/** [XC4, AU1] Asserts that each line was applied once with one audit record, or not at all with none. */
function assertCommandFileLines(
  { lines }: ClientRecord,
  { history, agent }: { history: HistoryRecordJson[]; agent: TestProgram },
): number {
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
    assert.ok(times <= 1, `${text} was added ${times} times`);
    assert.equal(records, times, `records of ${text}`);
  }
  return lines.filter((text) => added.has(text)).length;
}

/** [DL18] Counts deliveries by notification. Throws when one was repeated without a kill in between. */
function countMessages(
  delivered: readonly DeliveredMessage[],
  killsAtMs: readonly number[],
): ReadonlyMap<string, number> {
  const seen = new Map<string, number[]>();
  for (const { atMs, notifications } of delivered)
    for (const { id } of notifications) seen.set(id, [...(seen.get(id) ?? []), atMs]);
  for (const [id, times] of seen) {
    const [from = 0, to = 0] = [times[0], times.at(-1)];
    // A message sent before the kill may arrive a moment after it.
    const kills = killsAtMs.filter((atMs) => atMs > from - 1_000 && atMs < to).length;
    assert.ok(times.length <= 1 + kills, `${id} was delivered ${times.length} times, over ${kills} kills`);
  }
  return new Map([...seen].map(([id, times]) => [id, times.length]));
}

export const formatKillCounts = (counts: KillCounts, seed: number): string =>
  `seed ${seed}: ${Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ")}`;
