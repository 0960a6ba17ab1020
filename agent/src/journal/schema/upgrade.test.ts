import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { crc32 } from "node:zlib";
import { verifyAudit } from "@realmwatch/shared/audit/verify-audit";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { recoverWithStates } from "../journal.fixture.ts";
import type { Journal, JournalOptions } from "../journal.ts";
import { openJournal } from "../threads/open-journal.ts";
import { journalSchemaVersion } from "./journal-upgrades.ts";
import { fillVersion6 } from "./old-journal.fixture.ts";
import { rowCrc } from "./row-crc.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-upgrade-"));
const opened = new Set<Journal>();
after(async () => {
  for (const journal of opened) await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

const openIn = (dataDir: string, realm = "r", onUpgrade?: JournalOptions["onUpgrade"]) =>
  openJournal({ dataDir, realm, historyRetentionMs: 1e15, clock: systemClock, ...(onUpgrade && { onUpgrade }) });

/** Dump of a file of version 1 with two commands, of which one is applied, two states and two history records. */
const version1 = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE TABLE state (id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, json TEXT NOT NULL, crc INTEGER NOT NULL);
  CREATE TABLE command (seq INTEGER PRIMARY KEY, json TEXT NOT NULL, crc INTEGER NOT NULL);
  CREATE TABLE history (
    seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, type TEXT NOT NULL, ref TEXT,
    json TEXT NOT NULL, crc INTEGER NOT NULL
  );
  CREATE INDEX history_by_time ON history (at_ms, seq);
  CREATE INDEX history_by_type ON history (type, at_ms, seq);
  CREATE INDEX history_by_ref ON history (ref, at_ms, seq);
  INSERT INTO meta VALUES ('applied', 1.0), ('epoch', 7.0), ('last_command', 2.0), ('last_history', 2.0),
    ('program', '{"toggles":1}'), ('realm', 'r');
  INSERT INTO state VALUES (1, 'web1', '{"a":1}', 1444654255), (2, 'web1!http', '{"b":2}', 982943164);
  INSERT INTO command VALUES (2, '{"atMs":5,"author":"ann","onBehalfOf":"","command":{"kind":"add_comment","ref":"web1","id":"b","text":"b"}}', 1242887303);
  INSERT INTO history VALUES
    (1, 3, 'state', 'web1', '{"atMs":3,"type":"state","key":{"kind":"host","name":"web1"}}', 1496434034),
    (2, 4.5, 'config', NULL, '{"atMs":4.5,"type":"config"}', 2378319192);
  PRAGMA application_id = ${0x52774a31};
  PRAGMA user_version = 1;
`;
/** Dump of the same data in version 2, with a notification and an audit record for each command. */
const version2 = `${version1}
  CREATE TABLE notification (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL, crc INTEGER NOT NULL);
  CREATE TABLE audit (seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, json TEXT NOT NULL, hash BLOB NOT NULL);
  CREATE INDEX audit_by_time ON audit (at_ms, seq);
  INSERT INTO meta VALUES ('audit_head', '2 1b4666a7c180676b12b56105d379cad4098844c55b42b06a37332a0121c21b4c');
  INSERT INTO notification VALUES (1, 'n', '{"id":"n","contact":"ops","kind":"PROBLEM","key":{"kind":"host","name":"web1"},"status":"critical","previousStatus":"ok","stateType":"hard","attempt":3,"maxAttempts":3,"output":"down","longOutput":"","perfdata":[],"problemId":"p1","level":0,"number":1,"author":"","comment":"","labels":{},"sinceMs":1,"atMs":2}', 1609213741);
  INSERT INTO audit VALUES
    (1, 5, '{"atMs":5,"source":"api","peer":"","rpc":"one","commandJson":"{}","outcome":"accepted","requestId":"","onBehalfOf":"","reason":"","count":1}', x'4c9dadd0f8fdca0a6c5ed2c877590d24d2d2cce0c4948803da97001d765e64c5'),
    (2, 5, '{"atMs":5,"source":"api","peer":"","rpc":"two","commandJson":"{}","outcome":"accepted","requestId":"","onBehalfOf":"","reason":"","count":1}', x'1b4666a7c180676b12b56105d379cad4098844c55b42b06a37332a0121c21b4c');
  PRAGMA user_version = 2;
`;
/** Dump of the same data in version 3, which added checksums to the values of table `meta`. */
const version3 = `${version2}
  ALTER TABLE meta ADD COLUMN crc INTEGER;
  DELETE FROM meta;
  INSERT INTO meta VALUES ('applied', 1.0, 3995768466), ('epoch', 7.0, 2041044625), ('last_command', 2.0, 3248877892),
    ('audit_head', '2 1b4666a7c180676b12b56105d379cad4098844c55b42b06a37332a0121c21b4c', 4258517952),
    ('last_history', 2.0, 665236667), ('program', '{"toggles":1}', 1307205966), ('realm', 'r', 1877685818);
  PRAGMA user_version = 3;
`;

/** Dump of the same data in version 5, whose tables are those of version 3. */
const version5 = `${version3} PRAGMA user_version = 5;`;

type Row = Record<string, unknown>;
/** Queries the file directly. */
function rowsOf(dataDir: string, sql: string): Row[] {
  const db = new DatabaseSync(join(dataDir, "journal.db"), { readOnly: true });
  const rows = db.prepare(sql).all();
  db.close();
  return rows.map((row) => ({ ...row }));
}
const versionOf = (dataDir: string): unknown => rowsOf(dataDir, "PRAGMA user_version")[0]?.["user_version"];

async function open(dataDir: string): Promise<Journal> {
  const journal = await openIn(dataDir);
  if (!journal.ok) assert.fail(journal.error);
  opened.add(journal.value);
  return journal.value;
}

async function contentsOf(journal: Journal) {
  const { missing, epoch, program, states, commands, notifications } = await recoverWithStates(journal);
  const history = (await journal.historyAfter(0, 10)).map(({ seq, type }) => `${seq} ${type}`);
  const audit = await journal.auditRecords({ sinceMs: undefined, limit: 10 });
  const texts = commands.map(({ seq, command }) => `${seq} ${command.kind}`);
  const rpcs = audit.ok ? audit.value.map(({ rpc }) => rpc) : assert.fail();
  return {
    missing,
    epoch,
    program,
    states,
    commands: texts,
    notified: notifications.map(({ id }) => id),
    history,
    rpcs,
  };
}

for (const [version, text, since] of [
  [1, version1, { notified: [], rpcs: [] }],
  [2, version2, { notified: ["n"], rpcs: ["two", "one"] }],
  [3, version3, { notified: ["n"], rpcs: ["two", "one"] }],
  [5, version5, { notified: ["n"], rpcs: ["two", "one"] }],
] as const)
  test(`[DU2] a journal that version ${version} wrote is upgraded with all its records`, async () => {
    const dir = mkdtempSync(join(folder, "data-"));
    const db = new DatabaseSync(join(dir, "journal.db"));
    db.exec(text);
    db.close();
    const refused = await openIn(dir, "other");
    assert.match(refused.ok ? "" : refused.error, /belongs to realm "r"/);
    assert.equal(versionOf(dir), version, "a refused file stays unchanged");

    const was = {
      ...{ missing: undefined, epoch: 7, program: `{"toggles":1}`, commands: ["2 add_comment"], ...since },
      ...{
        states: [["web1", `{"a":1}`] as const, ["web1!http", `{"b":2}`] as const],
        history: ["1 state", "2 config"],
      },
    };
    const journal = await open(dir);
    assert.deepEqual(await contentsOf(journal), was);
    const states = [{ ref: "web1", state: `{"a":3}` }];
    const history = [{ atMs: 9, type: "state" } as const];
    const appended = await journal.append({ states, history, program: undefined, appliedCommandSeq: 2 });
    assert.equal(appended.ok, true);
    await journal.close();

    assert.equal(versionOf(dir), 8);
    assert.deepEqual(rowsOf(dir, "SELECT * FROM answer"), []);
    const crcs = rowsOf(dir, "SELECT seq, json, crc FROM history").map(({ json, crc }) => crc === crc32(String(json)));
    assert.deepEqual(
      crcs,
      [true, true, false],
      "old rows keep their checksum, new rows have one that includes their key",
    );
    const again = await open(dir);
    assert.deepEqual(await contentsOf(again), {
      ...{ ...was, commands: [], history: [...was.history, "3 state"] },
      states: [["web1", `{"a":3}`], was.states[1]],
    });
    await again.close();
    assert.equal(verifyAudit(dir).ok, true);
  });

test("[DU2] a journal of version 4 whose commands are applied only in part is refused unchanged, with what to do", async () => {
  const dir = mkdtempSync(join(folder, "data-"));
  const db = new DatabaseSync(join(dir, "journal.db"));
  const recorded = crc32("recorded 2.0");
  db.exec(`${version3}; INSERT INTO meta VALUES ('recorded', 2.0, ${recorded}); PRAGMA user_version = 4`);
  db.close();
  const refused = await openIn(dir);
  assert.match(refused.ok ? "" : refused.error, /start that version once more and stop it with SIGTERM/);
  assert.equal(versionOf(dir), 4);
});

test("[DU2] records of notifications that version 6 wrote at the decision are records of decisions, each one still intact", async () => {
  const dir = mkdtempSync(join(folder, "data-"));
  await (await open(dir)).close();
  const db = new DatabaseSync(join(dir, "journal.db"));
  const insert = db.prepare("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?)");
  const web1 = { kind: "host", name: "web1" };
  const because = { reason: "sent", name: "" };
  const rows = [
    [1, 1_700_000_000_123, "notification", "web1", { key: web1, contact: "ops", notificationKind: "PROBLEM", because }],
    [2, 1_700_000_000_124.5, "notification_suppressed", "web1", { key: web1, because: { reason: "nobody_told" } }],
  ] as const;
  for (const [seq, atMs, type, ref, more] of rows) {
    const json = JSON.stringify({ atMs, type, ...more });
    insert.run(seq, atMs, type, ref, json, rowCrc(json, seq, atMs, type, ref));
  }
  const damaged = JSON.stringify({ atMs: 5, type: "notification" });
  insert.run(3, 5, "notification", "web1", damaged, 1);
  db.exec(
    `INSERT OR REPLACE INTO meta VALUES ('last_history', 3, ${rowCrc("3", "last_history")}); PRAGMA user_version = 6`,
  );
  db.close();
  const journal = await open(dir);
  assert.deepEqual(
    (await journal.historyAfter(0, 10)).map(({ seq, type, atMs, because: decision, contact }) =>
      [seq, type, atMs, decision?.reason, contact].join(" ").trim(),
    ),
    [
      "1 notification_queued 1700000000123 decided ops",
      "2 notification_suppressed 1700000000124.5 problem_not_notified",
      "3 gap 5",
    ],
  );
});

test("[DU18] an upgrade reports how much of a long history is done, and a new file reports nothing", async () => {
  const dir = mkdtempSync(join(folder, "data-"));
  const reports: string[] = [];
  const openReporting = async (): Promise<Journal> => {
    const journal = await openIn(dir, "r", ({ fromVersion, toVersion, doneRecords, records }) =>
      reports.push(`${fromVersion} to ${toVersion}: ${doneRecords} of ${records}`),
    );
    if (!journal.ok) assert.fail(journal.error);
    opened.add(journal.value);
    return journal.value;
  };
  await (await openReporting()).close();
  assert.deepEqual(reports, []);
  fillVersion6(dir, 12_000);
  const journal = await openReporting();
  assert.deepEqual(
    reports,
    ["0", "5000", "10000", "12000"].map((done) => `6 to ${journalSchemaVersion}: ${done} of 12000`),
  );
  await journal.close();
  assert.deepEqual(rowsOf(dir, "SELECT type, count(*) AS count FROM history GROUP BY type"), [
    { type: "notification_queued", count: 12_000 },
  ]);
  const again = await openReporting();
  assert.equal(reports.length, 4);
  assert.deepEqual(
    (await again.historyAfter(11_999, 10)).map(({ seq, type }) => [seq, type]),
    [[12_000, "notification_queued"]],
  );
});
