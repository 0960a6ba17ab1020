import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { appendFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type CommandFifo, openCommandFifo } from "./command-fifo.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-fifo-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newPath = (): string => join(folder, `cmd${files++}`);

function open(path: string, clock = systemClock) {
  const lines: string[] = [];
  const warnings: string[] = [];
  let hold: Promise<void> | undefined;
  const fifo = openCommandFifo({
    path,
    clock,
    async take(some) {
      await hold;
      lines.push(...some.map(({ text }) => text));
    },
    warn: (what) => warnings.push(what),
  });
  if (!fifo.ok) return { refused: fifo.error };
  after(() => fifo.value.close());
  const holdWhile = (wait: Promise<void>): void => {
    hold = wait;
  };
  return { refused: "", fifo: fifo.value as CommandFifo, lines, warnings, holdWhile };
}

test("[XC7] the command file is a FIFO with mode 0660 under any umask, and is removed with its agent", async () => {
  const path = newPath();
  const before = process.umask(0o077);
  const { fifo, lines } = open(path);
  process.umask(before);
  const { mode } = lstatSync(path);
  assert.equal(mode & 0o777, 0o660);
  assert.ok(lstatSync(path).isFIFO());
  await appendFile(path, "one\ntw");
  await appendFile(path, "o\n");
  await until("2 lines", () => lines?.length === 2, { seen: () => lines });
  assert.deepEqual(lines, ["one", "two"]);
  await fifo?.close();
  assert.equal(existsSync(path), false);
});

test("[XC7] a file, a link, a hard link and a FIFO with a reader are refused and left unchanged", async () => {
  const [file, link, named, read] = [newPath(), newPath(), newPath(), newPath()];
  writeFileSync(file, "precious");
  assert.match(open(file).refused, /exists already and is not a FIFO/);
  assert.equal(lstatSync(file).size, 8);
  symlinkSync(file, link);
  assert.match(open(link).refused, /symbolic link/);
  execFileSync("mkfifo", [named]);
  linkSync(named, newPath());
  assert.match(open(named).refused, /hard links/);
  const first = open(read);
  assert.match(open(read).refused, /read by another process/);
  assert.match(open(join(folder, "nowhere", "cmd")).refused, /cannot be created: ENOENT/);
  await first.fifo?.close();
});

test("[XC7] a FIFO that a killed agent left is reused, and its mode is set", async () => {
  const path = newPath();
  execFileSync("mkfifo", ["-m", "666", path]);
  const { refused, fifo } = open(path);
  assert.equal(refused, "");
  assert.equal(lstatSync(path).mode & 0o777, 0o660);
  await fifo?.close();
});

test("[XC7] a folder that all users may write to gives a warning", async () => {
  const open_ = join(folder, "open");
  execFileSync("mkdir", ["-m", "777", open_]);
  const { warnings, fifo } = open(join(open_, "cmd"));
  assert.match(warnings?.join() ?? "", /all users may write to .*open/);
  await fifo?.close();
});

test("[XC9] a removed FIFO is created again; a replaced one is left with one warning", async () => {
  const clock = manualClock(0);
  const path = newPath();
  const { fifo, lines, warnings } = open(path, clock);
  unlinkSync(path);
  clock.advance(10_000);
  assert.match(warnings?.at(-1) ?? "", /was removed and is created again/);
  await appendFile(path, "after\n");
  await until("1 lines", () => lines?.length === 1, { seen: () => lines });
  renameSync(path, `${path}.old`);
  writeFileSync(path, "");
  clock.advance(10_000);
  clock.advance(10_000);
  assert.match(warnings?.at(-1) ?? "", /something else is at/);
  assert.equal(warnings?.length, 2);
  await appendFile(`${path}.old`, "still\n");
  await until("2 lines", () => lines?.length === 2, { seen: () => lines });
  await fifo?.close();
  assert.ok(existsSync(path), "a file of others stays");
});

test("[XC8] writers wait while lines are not processed, and no line is lost or out of order", async () => {
  const path = newPath();
  const { fifo, lines, holdWhile } = open(path);
  let release = (): void => {};
  holdWhile?.(
    new Promise((go) => {
      release = go;
    }),
  );
  const count = 60_000;
  const written = new Promise((done) => execFile("sh", ["-c", `seq 1 ${count} > ${path}`], done));
  await until("the FIFO is created again", () => lstatSync(path).isFIFO());
  release();
  await written;
  await until(`${count} lines`, () => lines?.length === count, { seen: () => lines });
  assert.deepEqual(
    lines,
    Array.from({ length: count }, (_, i) => String(i + 1)),
  );
  await fifo?.close();
});
