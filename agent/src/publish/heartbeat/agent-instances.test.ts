import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { silentLog } from "../publisher.fixture.ts";
import { recordAgentInstance } from "./agent-instances.ts";

test("the instance before the last start is read from the data directory; a damaged file counts as none", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "realmwatch-instances-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const record = (own: string) => recordAgentInstance({ dataDir, own, log: silentLog });
  assert.deepEqual(await record("first1"), { own: "first1", previous: "" });
  assert.deepEqual(await record("second2"), { own: "second2", previous: "first1" });
  writeFileSync(join(dataDir, "instance"), "\u0000\u0000");
  assert.deepEqual(await record("third3"), { own: "third3", previous: "" });
});

test("[FD81] an agent on a copy of a data directory does not name the instance that used the original", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-instances-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [dataDir, copy] = [mkdtempSync(join(folder, "original-")), join(folder, "copy")];
  const recordIn = (place: string, own: string) => recordAgentInstance({ dataDir: place, own, log: silentLog });
  await recordIn(dataDir, "first1");
  cpSync(dataDir, copy, { recursive: true, preserveTimestamps: true });
  assert.deepEqual(await recordIn(copy, "copy1"), { own: "copy1", previous: "" });
  assert.deepEqual(await recordIn(copy, "copy2"), { own: "copy2", previous: "copy1" });
  assert.deepEqual(await recordIn(dataDir, "second2"), { own: "second2", previous: "first1" });
});

test("a data directory that cannot be written is logged, and the agent starts", async () => {
  const warnings: unknown[] = [];
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  const instances = await recordAgentInstance({ dataDir: "/nowhere/realmwatch", own: "first1", log });
  assert.deepEqual(instances, { own: "first1", previous: "" });
  assert.equal(warnings.length, 1);
});
