import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { journalSchemaVersion } from "@realmwatch/agent/journal/schema/journal-upgrades";
import { fillVersion6 } from "@realmwatch/agent/journal/schema/old-journal.fixture";
import { freePort } from "@realmwatch/shared/platform/process/free-port";
import { call } from "../../run/call.ts";
import { spawnProgram, startTestAgent, tempFolder } from "../../run/processes.ts";

const records = 12_000;
const document = `
hosts: web1: {
	address: "127.0.0.1"
	check: {type: "passive", freshness_threshold: "1h", flap: {enabled: false}}
}
`;

function versionOf(dataDir: string): unknown {
  const db = new DatabaseSync(join(dataDir, "journal.db"));
  const [row] = db.prepare("PRAGMA user_version").all();
  db.close();
  return row?.["user_version"];
}

test("[DU18] the upgrade of a long history is logged, a kill during it changes nothing, and the next start does it", async (t) => {
  const folder = tempFolder(t, "upgrade");
  const config = join(folder, "config.cue");
  writeFileSync(config, document);
  const dataDir = join(folder, "data");
  await (await startTestAgent(t, { config, flags: { "data-dir": dataDir } })).stop();
  fillVersion6(dataDir, records);

  const words = ["-config", config, "-data-dir", dataDir, "-listen", `127.0.0.1:${await freePort()}`];
  const killed = spawnProgram("agent", words, { NODE_ENV: "test", FAULT: "during-upgrade:2" });
  killed.stdout?.resume();
  killed.stderr?.resume();
  assert.deepEqual(await once(killed, "exit"), [null, "SIGKILL"]);
  assert.equal(versionOf(dataDir), 6);

  const agent = await startTestAgent(t, { config, flags: { "data-dir": dataDir } });
  assert.match(agent.output(), /"doneRecords":0,"percent":0,.*the journal is being upgraded/);
  assert.match(agent.output(), new RegExp(`"records":${records},"durationMs":\\d+.*the journal is upgraded`));
  const { body } = await call(agent.base, "QueryService/ListHistory", {
    types: ["HISTORY_TYPE_NOTIFICATION", "HISTORY_TYPE_NOTIFICATION_QUEUED"],
    pageSize: 3,
  });
  const types = (body["records"] as { type: string; contact: string }[]).map(
    ({ type, contact }) => `${type} ${contact}`,
  );
  assert.deepEqual(types, Array(3).fill("HISTORY_TYPE_NOTIFICATION_QUEUED ops"));
  await agent.stop();
  assert.equal(versionOf(dataDir), journalSchemaVersion);
});
