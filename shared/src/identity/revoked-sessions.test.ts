import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../model/manual-clock.fixture.ts";
import { openRevokedSessions, type RevocationExchange } from "./revoked-sessions.ts";
import type { Session } from "./session-token.ts";

const ttlMs = 10_000;
const session = (id: string, name = "ann", issuedMs = 0): Session => ({
  id,
  name,
  issuedMs,
  expiresMs: issuedMs + ttlMs,
});

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "revoked-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(path: string | undefined, clock = manualClock(0), exchange?: RevocationExchange) {
  const failures: string[] = [];
  const onWriteFailed = (code: string) => void failures.push(code);
  const opened = await openRevokedSessions({ path, clock, ttlMs, exchange, onWriteFailed });
  assert.ok(opened.ok, opened.ok ? "" : opened.error);
  return { ...opened.value, failures, clock };
}

test("[AT6] a revocation survives a restart until the session would have ended", async (t) => {
  const path = join(folderOf(t), "revoked.jsonl");
  const first = await open(path);
  await first.add(session("a"));
  await first.add(session("b", "bob", 5_000));
  assert.deepEqual([first.has(session("a")), first.has(session("c"))], [true, false]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const second = await open(path, manualClock(9_000));
  assert.deepEqual([second.has(session("a")), second.has(session("b", "bob", 5_000))], [true, true]);
  await open(path, manualClock(12_000));
  assert.deepEqual(
    readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
    [{ id: "b", name: "bob", until: 15_000 }],
  );
});

test("[AT6] a line that a crash has cut off harms no other", async (t) => {
  const path = join(folderOf(t), "revoked.jsonl");
  await (await open(path)).add(session("a"));
  writeFileSync(path, '{"id":"b","na', { flag: "a" });
  const again = await open(path);
  await again.add(session("c"));
  const last = await open(path);
  assert.deepEqual(
    ["a", "b", "c"].map((id) => last.has(session(id))),
    [true, false, true],
  );
});

test("[AT6] after a failed write the next one writes all revocations", async (t) => {
  const folder = folderOf(t);
  const path = join(folder, "revoked.jsonl");
  const revoked = await open(path);
  mkdirSync(path);
  await revoked.add(session("a"));
  assert.equal(revoked.failures.length, 1);
  assert.equal(revoked.has(session("a")), true);
  rmSync(path, { recursive: true });
  await revoked.add(session("b"));
  const again = await open(path);
  assert.deepEqual([again.has(session("a")), again.has(session("b"))], [true, true]);
});

test("[AT6] a file that is a link, or no file, is refused", async (t) => {
  const folder = folderOf(t);
  const target = join(folder, "target");
  writeFileSync(target, "");
  const link = join(folder, "link");
  symlinkSync(target, link);
  for (const path of [link, folder]) {
    const opened = await openRevokedSessions({ path, clock: manualClock(0), ttlMs, onWriteFailed() {} });
    assert.match(opened.ok ? "" : opened.error, /cannot be read/);
  }
  chmodSync(target, 0o600);
});

test("[AT6] more logouts of one name than are kept end all its sessions so far, and no later one", async (t) => {
  const path = join(folderOf(t), "revoked.jsonl");
  const clock = manualClock(1_000);
  const revoked = await open(path, clock);
  for (let n = 0; n <= 1_000; n++) await revoked.add(session(`s${n}`, "ann", 1_000));
  for (const list of [revoked, await open(path, clock)]) {
    assert.equal(list.has(session("s0", "ann", 1_000)), true);
    assert.equal(list.has(session("another", "ann", 1_000)), true);
    assert.equal(list.has(session("later", "ann", 2_000)), false);
    assert.equal(list.has(session("other", "bob", 1_000)), false);
  }
  assert.ok(readFileSync(path, "utf8").length < 300);
});

/** Exchange that keeps what is sent, and through which `receive` passes texts of other replicas. */
function memoryExchange() {
  const sent: string[] = [];
  let receive: (texts: readonly string[]) => void = () => {};
  const exchange: RevocationExchange = {
    add: async (texts) => void sent.push(...texts.map(({ text }) => text)),
    async follow({ onStored }) {
      receive = onStored;
    },
  };
  return { exchange, sent, receive: (texts: readonly string[]) => receive(texts) };
}

test("[AT16] a revocation of another replica counts here, also after a restart, and is not sent back", async (t) => {
  const folder = folderOf(t);
  const one = memoryExchange();
  const first = await open(join(folder, "one"), manualClock(0), one.exchange);
  await first.add(session("a"));
  const two = memoryExchange();
  const second = await open(join(folder, "two"), manualClock(0), two.exchange);
  two.receive([...one.sent, ...one.sent]);
  await second.add(session("b"));
  assert.deepEqual(
    ["a", "b", "c"].map((id) => second.has(session(id))),
    [true, true, false],
  );
  assert.deepEqual(
    two.sent.map((text) => (JSON.parse(text) as { id: string }).id),
    ["b"],
  );
  assert.equal((await open(join(folder, "two"))).has(session("a")), true);
});

test("[AT16] what is no revocation, or would end sessions that begin later, is ignored", async (t) => {
  const { exchange, receive } = memoryExchange();
  const sessions = await open(join(folderOf(t), "revoked"), manualClock(100_000), exchange);
  const entry = { name: "ann", until: 105_000 };
  receive(["", "{", "null", "[]", '"x"', JSON.stringify(entry), JSON.stringify({ ...entry, id: 7 })]);
  receive([JSON.stringify({ ...entry, issuedUntil: 9e15 }), JSON.stringify({ ...entry, id: "old", until: 1 })]);
  assert.equal(sessions.has(session("x", "ann", 99_000)), false);
  receive([JSON.stringify({ ...entry, issuedUntil: 98_000, until: 9e15 })]);
  assert.deepEqual(
    [98_000, 99_000].map((issuedMs) => sessions.has(session("x", "ann", issuedMs))),
    [true, false],
  );
});

test("[AT16] revocations of others fill neither the file nor memory", async (t) => {
  const { exchange, receive } = memoryExchange();
  const path = join(folderOf(t), "revoked");
  const sessions = await open(path, manualClock(0), exchange);
  const name = "x".repeat(1_000_000);
  for (let n = 0; n < 30; n += 1) receive([JSON.stringify({ id: `${n}`, name: `${n}${name}`, until: 5_000 })]);
  await sessions.add(session("a"));
  const again = await open(path, manualClock(0), exchange);
  assert.equal(again.has(session("a")), true);
  assert.ok(statSync(path).size < 12_000_000);
});
