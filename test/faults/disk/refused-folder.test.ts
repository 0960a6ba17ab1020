import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { type ProcessExit, runToEnd } from "../../run/cli.ts";
import { startTestAgent, startTestAggregator, tempFolder } from "../../run/processes.ts";

const config = `hosts: web1: {address: "a", check: {type: "passive", freshness_threshold: "1h", flap: {}}}\n`;
/** User without privileges and without files. */
const otherUser = 64_999;
const asOtherUser = ["setpriv", `--reuid=${otherUser}`, `--regid=${otherUser}`, "--clear-groups", "--"];

/** Both programs, with the database in their data directory and the flags to start them. */
const programs = {
  agent: {
    file: "journal.db",
    start: (scope: TestScope, dataDir: string) =>
      startTestAgent(scope, { config, realm: "fra", flags: { "data-dir": dataDir } }),
    flags: (folder: string) => ["-realm", "fra", "-config", written(folder, "config.cue", config)],
  },
  aggregator: {
    file: "audit.db",
    // No server is there: the aggregator waits for NATS, which is enough for this test.
    start: (scope: TestScope, dataDir: string) =>
      startTestAggregator(scope, { realms: "realms: fra: {}\n", flags: { "data-dir": dataDir, "nats-url": noNats } }),
    flags: (folder: string) => [
      ...["-nats-url", noNats],
      ...["-realms-config", written(folder, "realms.cue", "realms: fra: {}\n")],
    ],
  },
} as const;
const noNats = "nats://127.0.0.1:1";

function written(folder: string, name: string, text: string): string {
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

for (const name of ["agent", "aggregator"] as const) {
  const { file, start, flags } = programs[name];
  const run = (scope: TestScope, dataDir: string, { before = [] as string[], more = [] as string[] } = {}) => {
    const words = [...flags(tempFolder(scope, "document")), "-listen", "127.0.0.1:0", "-data-dir", dataDir, ...more];
    return runToEnd([...before, ...builtProgram(name), ...words]);
  };
  const assertRefused = ({ code, stdout, stderr }: ProcessExit, why: RegExp): void => {
    const lines = stderr.trimEnd().split("\n");
    assert.deepEqual([code, lines.length], [1, 1], `${stdout}\n${stderr}`);
    assert.match(lines[0] ?? "", why);
    assert.ok(stderr.startsWith(`realmwatch-${name}: `), stderr);
  };

  test(`[DU17] the ${name} refuses a data directory that is in use, newer or of another program in one line, exit code 1`, async (t) => {
    const dataDir = join(tempFolder(t, "data"), "data");
    const program = await start(t, dataDir);
    const inUse = /the data directory \S+\/data is in use by another process: stop that one or use another -data-dir$/;
    assertRefused(await run(t, dataDir), inUse);
    await program.stop("SIGKILL");
    if (name === "agent")
      assertRefused(
        await run(t, dataDir, { more: ["-realm", "ams"] }),
        /\S+\/journal\.db belongs to realm "fra", not to "ams": start it with that -realm or use another -data-dir$/,
      );
    const path = join(dataDir, file);
    const write = (sql: string): void => {
      const db = new DatabaseSync(path);
      db.exec(sql);
      db.close();
    };
    write("PRAGMA user_version = 99");
    const newer =
      /\S+\.db was written by a newer version \(schema 99, known is \d+\): start that version or use another/;
    assertRefused(await run(t, dataDir), newer);
    write("PRAGMA application_id = 7");
    assertRefused(
      await run(t, dataDir),
      /\S+\.db is (no|not a|not an) (journal|audit log) of this program: use another -data-dir$/,
    );
    writeFileSync(path, "not a database\n".repeat(500));
    assertRefused(await run(t, dataDir), /\S+\.db is damaged \(.*\): restore it from a backup, or move it away/);
    const plain = join(tempFolder(t), "file");
    writeFileSync(plain, "");
    assertRefused(
      await run(t, plain),
      /cannot create the data directory \S+\/file \(EEXIST.*\): create it, or use another/,
    );
  });

  const skip = process.getuid?.() !== 0 && "needs root, to change the user and the owner of files";
  test(`[DU17, DU7] the ${name} refuses files without permission in one line that names file and owner, exit code 1`, {
    skip,
  }, async (t) => {
    const folder = tempFolder(t, "data");
    chmodSync(folder, 0o755);
    const dataDir = join(folder, "data");
    const program = await start(t, dataDir);
    await program.stop();
    assertRefused(
      await run(t, dataDir, { before: asOtherUser }),
      /user 64999 may not write to the data directory \S+\/data \(of user 0, mode 0700\): give the directory to that user/,
    );
    const readable = join(folder, "readable");
    mkdirSync(readable, { mode: 0o755 });
    assertRefused(
      await run(t, readable, { before: asOtherUser }),
      /\/readable \(of user 0, mode 0755\): give the directory/,
    );
    assertRefused(
      await run(t, join(folder, "new"), { before: asOtherUser }),
      /cannot create the data directory \S+\/new \(EACCES.*\): create it, or use another -data-dir$/,
    );
    chownSync(dataDir, otherUser, otherUser);
    assertRefused(
      await run(t, dataDir, { before: asOtherUser }),
      /\.db belongs to user 0, and this program runs as user 64999: run it as that user, or give the data directory/,
    );
    for (const own of readdirSync(dataDir)) chownSync(join(dataDir, own), otherUser, otherUser);
    assertRefused(await run(t, dataDir), /\.db belongs to user 64999, and this program runs as user 0: run it as/);
    chmodSync(join(dataDir, file), 0o000);
    assertRefused(
      await run(t, dataDir, { before: asOtherUser }),
      /user 64999 may not read and write \S+\.db \(of user 64999, mode 0000\): set its mode to 0600$/,
    );
    chmodSync(join(dataDir, file), 0o600);
    writeFileSync(join(dataDir, `${file}-wal`), "");
    assertRefused(
      await run(t, dataDir, { before: asOtherUser }),
      /\.db-wal belongs to user 0, and this program runs as user 64999/,
    );
  });
}
