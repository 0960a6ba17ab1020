import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { fileSink, openTestSinkHost, sinkFolder, valuesOfLines } from "../sinks.fixture.ts";

const read = (path: string): number[] => (existsSync(path) ? valuesOfLines(readFileSync(path, "utf8")) : []);

test("[SK13] a file is renamed when it is full, and the files together have every line once", async (t) => {
  const folder = sinkFolder(t);
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(fileSink("s", join(folder, "out"), { rotateBytes: 400, batchSize: 2 }));
  for (let value = 1; value <= 20; value += 1) host.point(value);
  await host.untilStatus("all are delivered", "s", ({ counts }) => counts.delivered === 20);
  const names = readdirSync(folder);
  assert.ok(names.length > 5 && names.every((name) => /^out(?:\.\d{8}T\d{6}\.\d{3}Z)?$/.test(name)), names.join());
  const all = names.flatMap((name) => read(join(folder, name))).sort((a, b) => a - b);
  assert.deepEqual(
    all,
    Array.from({ length: 20 }, (_, at) => at + 1),
  );
});

test("[SK13] a batch larger than rotate_bytes is divided between files, none of which is larger", async (t) => {
  const folder = sinkFolder(t);
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(fileSink("s", join(folder, "out"), { rotateBytes: 400 }));
  for (let value = 1; value <= 20; value += 1) host.point(value);
  await host.untilStatus("all are delivered", "s", ({ counts }) => counts.delivered === 20);
  const names = readdirSync(folder).sort();
  assert.ok(names.length > 5);
  for (const name of names) assert.ok(statSync(join(folder, name)).size <= 400, name);
  const [current = "", ...full] = names;
  assert.deepEqual(
    [...full, current].flatMap((name) => read(join(folder, name))),
    Array.from({ length: 20 }, (_, at) => at + 1),
  );
});

test("[SK13] a point larger than rotate_bytes has a file of its own", async (t) => {
  const folder = sinkFolder(t);
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(fileSink("s", join(folder, "out"), { rotateBytes: 1 }));
  for (const value of [1, 2, 3]) host.point(value);
  await host.untilStatus("all are delivered", "s", ({ counts }) => counts.delivered === 3);
  const names = readdirSync(folder);
  assert.deepEqual(
    names.map((name) => read(join(folder, name)).length),
    [1, 1, 1],
  );
});

test("[SK13] after a reopening, lines go to the file that has the name now", async (t) => {
  const folder = sinkFolder(t);
  const path = join(folder, "out");
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(fileSink("s", path));
  host.point(1);
  await until("the first line is there", () => read(path).length === 1);
  renameSync(path, `${path}.moved`);
  host.point(2);
  await until("the moved file is still open", () => read(`${path}.moved`).length === 2);
  host.reopen();
  host.point(3);
  await until("the new file has the line", () => read(path).length === 1);
});

test("[SK13] a symbolic link, a folder and a missing folder are refused until they are repaired", async (t) => {
  const folder = sinkFolder(t);
  writeFileSync(join(folder, "victim"), "");
  symlinkSync(join(folder, "victim"), join(folder, "link"));
  mkdirSync(join(folder, "dir"));
  linkSync(join(folder, "victim"), join(folder, "hard"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  const paths = { link: "link", hard: "hard", pipe: "pipe", dir: "dir", missing: "no/such/out" };
  await host.configure(...Object.entries(paths).map(([name, path]) => fileSink(name, join(folder, path))));
  host.point(1);
  const texts = {
    link: /symbolic link/,
    hard: /hard links/,
    pipe: /not a regular file/,
    dir: /folder/,
    missing: /folder does not exist/,
  };
  for (const [name, text] of Object.entries(texts)) {
    const { lastError } = await host.untilStatus(
      `${name} fails`,
      name,
      ({ failingSinceMs }) => failingSinceMs !== undefined,
    );
    assert.match(lastError, text);
    assert.ok(!lastError.includes(folder));
  }
  mkdirSync(join(folder, "no/such"), { recursive: true });
  await until("the line is there", () => read(join(folder, "no/such/out")).length === 1);
  assert.equal(readFileSync(join(folder, "victim"), "utf8"), "");
});

test("[SK13] an incomplete last line does not swallow the next one", async (t) => {
  const path = join(sinkFolder(t), "out");
  appendFileSync(path, '{"value":1}\n{"va');
  const host = openTestSinkHost(t, { dataDir: sinkFolder(t) });
  await host.configure(fileSink("s", path));
  host.point(2);
  await until("the line is there", () => readFileSync(path, "utf8").endsWith("}\n"));
  const lines = readFileSync(path, "utf8").split("\n");
  assert.deepEqual([lines[0], lines[1]], ['{"value":1}', '{"va']);
  assert.equal(JSON.parse(lines[2] as string).value, 2);
});
