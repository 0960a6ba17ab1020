import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { startTestAgent, startTestAggregator, type TestProgram, tempFolder } from "../../run/processes.ts";
import { wholeHistory } from "../kills/stored-records.ts";

const token = "an-admins-token-0123456789abcdef";
const admin = { authorization: `Bearer ${token}` };

function authFile(scope: TestScope): string {
  const path = join(tempFolder(scope, "auth"), "auth.cue");
  const digest = createHash("sha256").update(token).digest("hex");
  writeFileSync(path, `auth: ann: {role: "admin", token_hash: "sha256:${digest}"}\n`);
  return path;
}

type Found = { readonly outcome: string; readonly reason?: string; readonly count: number };
async function auditOf({ base }: TestProgram): Promise<Found[]> {
  const answer = await call(base, "AdminService/ListAuditRecords", {}, admin);
  assert.equal(answer.ok, true, answer.message);
  return (answer.body["records"] ?? []) as Found[];
}

/** Sends logins that fail: each adds an audit record and has no other effect. */
async function addAuditRecords(program: TestProgram, count: number): Promise<void> {
  const before = (await auditOf(program)).length;
  for (let at = 0; at < count; at += 1)
    await call(program.base, "AuthService/Login", { user: "ann", password: "wrong" });
  await until("they are recorded", async () => (await auditOf(program)).length === before + count);
}

const metric = async ({ base }: TestProgram, name: string): Promise<number> =>
  Number(new RegExp(`^realmwatch_${name} (.*)$`, "m").exec(await (await fetch(`${base}/metrics`)).text())?.[1]);

const removeFrom = ({ dataDir }: TestProgram, ending: string): void => {
  for (const file of readdirSync(dataDir)) if (file.endsWith(ending)) rmSync(join(dataDir, file));
};

const programs = {
  agent: {
    log: "journal.db-wal",
    start: (scope: TestScope) =>
      startTestAgent(scope, {
        config: `hosts: web1: {address: "a", check: {type: "passive", freshness_threshold: "1h", flap: {}}}\n`,
        flags: { "auth-config": authFile(scope) },
      }),
  },
  aggregator: {
    log: "audit.db-wal",
    start: (scope: TestScope) =>
      startTestAggregator(scope, {
        realms: "realms: fra: {}\n",
        flags: { "auth-config": authFile(scope), "nats-url": "nats://127.0.0.1:1" },
      }),
  },
} as const;

for (const [name, { log, start }] of Object.entries(programs))
  test(`[AU11, DU6] the loss of the ${name}'s write-ahead log is reported in log, audit, metric and /readyz, and it starts`, async (t) => {
    const program = await start(t);
    const reports = (): number => program.output().split(/lost its (?:end|last records)/).length - 1;
    await addAuditRecords(program, 3);
    await program.stop("SIGKILL");
    await program.restart();
    assert.equal(reports(), 0, "a kill loses no record");
    assert.equal((await auditOf(program)).length, 3);

    await program.stop("SIGKILL");
    removeFrom(program, log);
    await program.restart();
    assert.equal(reports(), 1);
    const [gap, ...others] = await until("the audit log reports it", async () => {
      const found = await auditOf(program);
      return found.length > 0 && found;
    });
    assert.match(gap?.reason ?? "", /^GAP: the newest 3 audit records were lost: /);
    assert.deepEqual([gap?.outcome, gap?.count, others.length], ["AUDIT_OUTCOME_FAILED", 3, 0]);
    assert.equal(await metric(program, "audit_records_lost"), 3);
    const ready = await fetch(`${program.base}/readyz`);
    assert.match(await ready.text(), /"detail":"(takes records|accepts writes); .*3 audit records were lost/);
    if (name === "agent") assert.ok((await metric(program, "journal_records_missing")) >= 3);

    await addAuditRecords(program, 2);
    await program.stop("SIGKILL");
    removeFrom(program, "-wal");
    await program.restart();
    assert.equal(reports(), 2, "without any log the number of lost records is unknown");
    const newest = await until("the audit log reports it", async () => (await auditOf(program))[0]);
    assert.match(
      newest.reason ?? "",
      /^GAP: the newest \d audit records or more were lost: a write-ahead log .* was deleted$/,
    );
    if (name === "agent") {
      const records = await wholeHistory(program, admin);
      assert.ok(records.some(({ type, comment }) => type === "HISTORY_TYPE_GAP" && /was deleted/.test(comment ?? "")));
    }

    assert.equal(await program.stop(), 0);
    await program.restart();
    assert.equal(reports(), 2, "reported once");
    assert.equal(await metric(program, "audit_records_lost"), 0);
  });
