import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createFolder } from "./create-folder.ts";
import { openNewFile } from "./new-file.ts";
import { readRegularFile, readRegularFileSync } from "./regular-file.ts";

const folder = mkdtempSync(join(tmpdir(), "regular-file-"));
after(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
writeFileSync(at("small"), "1234");
writeFileSync(at("large"), "x".repeat(200_000));
symlinkSync("small", at("link"));
symlinkSync("loop", at("loop"));
execFileSync("mkfifo", [at("pipe")]);

const rows: [path: string, maxBytes: number, expected: string][] = [
  [at("small"), 4, "1234"],
  [at("link"), 4, "1234"],
  [at("large"), 200_000, "x".repeat(200_000)],
  [at("small"), 3, "it is larger than 3 bytes"],
  [at("large"), 65_536, "it is larger than 64 KiB"],
  [at("pipe"), 4, "it is not a regular file"],
  ["/dev/zero", 1_048_576, "it is not a regular file"],
  [folder, 4, "EISDIR"],
  [at("missing"), 4, "ENOENT"],
  [at("loop"), 4, "ELOOP"],
  // Its size is 0, and its content is not.
  ["/proc/self/environ", 1, "it is larger than 1 bytes"],
];
for (const [path, maxBytes, expected] of rows)
  test(`[PT6] reading at most ${maxBytes} bytes of ${path.replace(folder, "")}`, async () => {
    for (const read of [readRegularFileSync(path, maxBytes), await readRegularFile(path, maxBytes)])
      assert.equal(read.ok ? read.value.toString() : read.error, expected);
  });

test("[PT6] a file that cannot be read is given up after ten seconds, and can be read later", async (t) => {
  // Opening a pipe without a writer blocks a thread of the pool. With all of them blocked no file can be read, as on a
  // dead network disk. The size of the pool is in the environment, or depends on the number of cores.
  const threads = 2 * Math.max(16, availableParallelism(), Number(process.env["UV_THREADPOOL_SIZE"] ?? 0));
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const pass = (ms: number): Promise<void> => {
    nowMs += ms;
    t.mock.timers.tick(ms);
    return new Promise((done) => setImmediate(done));
  };
  const blocked = Array.from({ length: threads }, () => open(at("pipe"), "r"));
  try {
    const seen: unknown[] = [];
    const reading = readRegularFile(at("small"), 4).then((read) => void seen.push(read));
    await pass(9_999);
    assert.deepEqual(seen, []);
    await pass(1);
    await reading;
    assert.deepEqual(seen, [{ ok: false, error: "it could not be read in time" }]);
  } finally {
    // Opened for both directions, a pipe has a writer at once.
    const writer = openSync(at("pipe"), constants.O_RDWR);
    for (const handle of await Promise.all(blocked)) await handle.close();
    closeSync(writer);
  }
  const later = await readRegularFile(at("small"), 4);
  assert.equal(later.ok && later.value.toString(), "1234");
});

test("[PT6] folders are created one by one, and below /proc the failure is reported", () => {
  createFolder(at("a/b/c"), 0o700);
  createFolder(at("a/b/c"), 0o700);
  assert.equal(statSync(at("a/b")).mode & 0o777, 0o700);
  for (const path of ["/proc/x", "/proc/x/y", at("small/x"), at("small")])
    assert.throws(() => createFolder(path, 0o700), /ENOENT|ENOTDIR|EEXIST|EACCES/, path);
});

test("[PT7] a new file has a random name, follows no link, and replaces those of an interrupted call", async () => {
  const path = at("written");
  const leftover = `${path}.0123456789abcdef.new`;
  writeFileSync(leftover, "left");
  symlinkSync(at("small"), `${path}.new`);
  const first = await openNewFile(path, 0o600);
  await first.handle.close();
  const second = await openNewFile(path, 0o600);
  await second.handle.close();
  assert.notEqual(first.path, second.path);
  const names = readdirSync(folder).filter((name) => name.startsWith("written"));
  assert.deepEqual(names.sort(), [second.path.slice(folder.length + 1), "written.new"].sort());
});
