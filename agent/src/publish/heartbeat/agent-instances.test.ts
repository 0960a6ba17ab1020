import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

test("a data directory that cannot be written is logged, and the agent starts", async () => {
  const warnings: unknown[] = [];
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  const instances = await recordAgentInstance({ dataDir: "/nowhere/realmwatch", own: "first1", log });
  assert.deepEqual(instances, { own: "first1", previous: "" });
  assert.equal(warnings.length, 1);
});
