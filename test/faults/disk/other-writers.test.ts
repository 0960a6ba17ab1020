import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import {
  startNats,
  startTcpTarget,
  startTestAgent,
  startTestAggregator,
  type TestProgram,
  tempFolder,
} from "../../run/processes.ts";
import { hostTarget, realmStates, statusRows } from "../../run/rows.ts";
import { newestAuditRecords, wholeHistory } from "../kills/stored-records.ts";
import { failingDisk, memoryDisk, mountSkipReason } from "./test-disks.ts";

const noSuchMount = mountSkipReason || "this kernel does not mount what the test needs";
const active = (address: string): string => `check: {
	type: "tcp", address: "${address}", check_interval: "300ms", retry_interval: "300ms", timeout: "20s"
	max_attempts: 1, flap: {enabled: false}
}`;
const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;

const countOf = ({ output }: TestProgram, what: string): number => output().split(what).length - 1;
/** Log messages about the snapshot file in order: reasons of failures, and `the snapshot is written again`. */
const snapshotMessages = ({ output }: TestProgram): string[] =>
  [...output().matchAll(/"why":"([^"]*)","msg":"the snapshot cannot be written"|the snapshot is written again/g)].map(
    ([text, why]) => why ?? text,
  );
const metric = async ({ base }: TestProgram, name: string): Promise<number> =>
  Number(new RegExp(`^realmwatch_${name} (.*)$`, "m").exec(await (await fetch(`${base}/metrics`)).text())?.[1]);

test("[DU16, DU4, XC7] with a full disk an agent still publishes and reads the command file, and all files are written again afterwards", async (t) => {
  const disk = memoryDisk(t, 6);
  if (disk === undefined) return t.skip(noSuchMount);
  const [nats, target] = [await startNats(t), await startTcpTarget(t)];
  const flags = { "nats-url": nats.url };
  const [snapshot, commands] = [join(disk.dir, "snapshot.json"), join(disk.dir, "commands")];
  const agent = await startTestAgent(t, {
    config: `hosts: web1: {address: "a", ${active(target.address)}}\n`,
    realm: "fra",
    flags: {
      ...flags,
      "data-dir": join(disk.dir, "data"),
      "snapshot-out": snapshot,
      "snapshot-interval": "200ms",
      "command-file": commands,
    },
  });
  const centre = await startTestAggregator(t, { realms: "realms: fra: {}\n", flags });
  const statusAtCentre = async () => (await statusRows(centre.base))["fra/web1"]?.status;
  await until("the centre has the row", async () => (await statusAtCentre()) === "STATUS_OK");
  await until("a snapshot", () => existsSync(snapshot));
  const before = await metric(agent, "snapshot_last_success_timestamp_seconds");
  assert.ok(before > 0);

  disk.fill();
  const line = (text: string): Promise<void> =>
    appendFile(commands, `[${Math.floor(Date.now() / 1000)}] ADD_HOST_COMMENT;web1;1;ann;${text}\n`);
  await until("a line is refused", async () => {
    await line("x".repeat(20_000));
    return countOf(agent, "a line of the command file was refused") > 0;
  });
  assert.match(agent.output(), /the disk is full[^\n]*a line of the command file was refused/);
  await target.close();
  await until("the centre has the problem", async () => (await statusAtCentre()) === "STATUS_CRITICAL");
  await target.open();
  await until("the centre has the recovery", async () => (await statusAtCentre()) === "STATUS_OK");
  const again = "the snapshot is written again";
  const lastMessage = (): string => snapshotMessages(agent).at(-1) ?? again;
  await until("the snapshot fails", () => lastMessage() !== again);
  assert.ok(JSON.parse(readFileSync(snapshot, "utf8")), "the last snapshot is complete");
  await until("it is reachable", async () => (await realmStates(centre.base))["fra"]?.reachable);

  disk.empty();
  await until("the snapshot is written again", () => lastMessage() === again);
  const messages = snapshotMessages(agent);
  assert.ok(
    messages.every((one, i) => one !== messages[i - 1]),
    `one message for each change: ${messages}`,
  );
  await until("the journal is written again", () => countOf(agent, "the journal accepts writes again") === 1);
  await line("after");
  await until("a line is accepted", async () =>
    (await statusRows(agent.base))["web1"]?.comments?.some(({ text }) => text === "after"),
  );
  const recordsOf = async ({ base }: TestProgram) =>
    (await wholeHistory({ base }, {})).map(({ type, status, commentId }) => [type, status, commentId]);
  const expected = await recordsOf(agent);
  assert.ok(expected.filter(([type]) => type === "HISTORY_TYPE_STATE").length >= 3);
  await until("the centre has all history", async () => (await recordsOf(centre)).length === expected.length);
  assert.deepEqual(await recordsOf(centre), expected);
  assert.equal(await agent.stop(), 0);
  assert.ok(!existsSync(commands), "the command file is gone");
});

test("[DU16, XC7] an agent whose disk becomes read-only stops in order and logs the file that it could not remove", async (t) => {
  const disk = failingDisk(t, 16);
  if (disk === undefined) return t.skip(noSuchMount);
  const [snapshot, commands] = [join(disk.dir, "snapshot.json"), join(disk.dir, "commands")];
  const agent = await startTestAgent(t, {
    config: `hosts: web1: {address: "a", ${passive}}\n`,
    flags: {
      "data-dir": join(disk.dir, "data"),
      "snapshot-out": snapshot,
      "snapshot-interval": "200ms",
      "command-file": commands,
    },
  });
  await until("a snapshot", () => existsSync(snapshot));
  disk.fail();
  await until("it is logged", () => snapshotMessages(agent).length > 0);
  assert.equal(await agent.stop(), 0);
  assert.equal(countOf(agent, `the command file ${commands} cannot be removed: EROFS`), 1);
  // A snapshot that is being written may fail at another step than later ones.
  const messages = snapshotMessages(agent);
  assert.equal(new Set(messages).size, messages.length, `each reason once: ${messages}`);
  assert.doesNotMatch(agent.output(), /at .*\.ts:\d+/);
  await assert.rejects(agent.restart(), (error: Error) => {
    const lines = error.message.split("\n").filter((text) => text.startsWith("realmwatch-agent: "));
    assert.equal(lines.length, 1, error.message);
    assert.match(
      lines[0] ?? "",
      /the data directory .* \(the disk is read-only\): correct that or use another -data-dir/,
    );
    return /ended with 1:/.test(error.message);
  });
  disk.repair();
  await agent.restart();
  assert.ok((await statusRows(agent.base))["web1"], "the remaining command file is used again");
});

test("[DU16, AU7, AU10] with a full disk an aggregator forwards and responds, and stores its audit records once afterwards", async (t) => {
  const disk = memoryDisk(t, 2);
  if (disk === undefined) return t.skip(noSuchMount);
  const nats = await startNats(t);
  const auth = join(tempFolder(t, "auth"), "auth.cue");
  const token = "an-admins-token-0123456789abcdef";
  const digest = createHash("sha256").update(token).digest("hex");
  writeFileSync(auth, `auth: ann: {role: "admin", token_hash: "sha256:${digest}"}\n`);
  const agent = await startTestAgent(t, {
    config: `hosts: web1: {address: "a", ${passive}}\n`,
    realm: "fra",
    flags: { "nats-url": nats.url },
  });
  const centre = await startTestAggregator(t, {
    realms: `realms: fra: {url: "${agent.base}"}\n`,
    flags: { "nats-url": nats.url, "auth-config": auth, "data-dir": join(disk.dir, "data") },
  });
  const admin = { authorization: `Bearer ${token}` };
  const sentIds: string[] = [];
  const comment = async (text: string): Promise<void> => {
    const id = `ticket-${sentIds.length}`;
    const request = { target: hostTarget("web1"), author: "ann", text };
    const headers = { ...admin, "x-request-id": id };
    const answer = await call(centre.base, "RealmCommandService/AddComment", { realm: "fra", request }, headers);
    assert.equal(answer.ok, true, answer.message);
    sentIds.push(id);
  };
  await until("the realm is reachable", async () => (await realmStates(centre.base, admin))["fra"]?.reachable);
  await comment("before");
  disk.fill();
  await until("no record is stored", async () => {
    await comment("x".repeat(5_000));
    return (await metric(centre, "audit_writable")) === 0;
  });
  const { bavail, bsize } = statfsSync(disk.dir);
  assert.ok(Math.abs((await metric(centre, "data_dir_free_bytes")) - bavail * bsize) < 65_536);
  const ready = await fetch(`${centre.base}/readyz`);
  assert.equal(ready.status, 200, "it stays ready");
  assert.match(await ready.text(), /"audit": \{"ok":false,"needed":false,"detail":".*the disk is full"/);
  await comment("meanwhile");
  assert.equal(countOf(centre, "the audit log cannot be written"), 1, "logged once");
  disk.empty();
  await until("records are stored again", async () => (await metric(centre, "audit_writable")) === 1);
  assert.equal(countOf(centre, "the audit log is writable again"), 1);
  await comment("after");
  await centre.stop("SIGKILL");
  await centre.restart();
  const ids = (await newestAuditRecords(centre, admin)).map(({ requestId }) => requestId);
  assert.deepEqual(ids.reverse(), sentIds, "each once, in order");
  assert.equal(await metric(centre, "audit_records_lost"), 0);
});
