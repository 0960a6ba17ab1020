import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { TestScope } from "../../run/processes.ts";

/** A file system of its own, mounted at `dir` until its scope ends. */
export type TestDisk = {
  readonly dir: string;
  /** Takes all the room that is left, whoever else writes meanwhile. */
  fill(): void;
  /** Gives back what `fill` took. */
  empty(): void;
};

/** What does not get mounted has to be skipped: this is why. */
export const mountSkipReason: string | false =
  process.getuid?.() === 0 ? false : "needs root, to mount a disk for the test";

/** A disk in memory; undefined where it may not be mounted. */
export const memoryDisk = (scope: TestScope, megabytes: number): TestDisk | undefined =>
  mounted(scope, ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs"]);

export type FailingDisk = TestDisk & {
  /** Has the kernel meet an error on it: it is read-only from now on, for those who have files open, too. */
  fail(): void;
  /** Checks it and mounts it anew. Nobody may use it meanwhile. */
  repair(): void;
};

/** An ext4 file system in a file; undefined where it may not be mounted. */
export function failingDisk(scope: TestScope, megabytes: number): FailingDisk | undefined {
  const image = join(tmpdir(), `realmwatch-image-${process.pid}-${performance.now()}`);
  writeFileSync(image, "");
  truncateSync(image, megabytes * 1024 * 1024);
  scope.after(() => rmSync(image, { force: true }));
  if (spawnSync("mkfs.ext4", ["-q", "-m", "0", image]).status !== 0) return undefined;
  const words = ["-o", "loop,errors=remount-ro", image];
  const disk = mounted(scope, words);
  if (disk === undefined) return undefined;
  const trigger = (): string => {
    const device = execFileSync("findmnt", ["-n", "-o", "SOURCE", disk.dir], { encoding: "utf8" }).trim();
    return `/sys/fs/ext4/${basename(device)}/trigger_fs_error`;
  };
  if (!existsSync(trigger())) return undefined;
  return {
    ...disk,
    fail: () => writeFileSync(trigger(), "1"),
    repair() {
      execFileSync("umount", [disk.dir]);
      // 1 says that there was something to repair.
      assert.ok([0, 1].includes(spawnSync("e2fsck", ["-p", image]).status ?? -1));
      execFileSync("mount", [...words, disk.dir]);
    },
  };
}

function mounted(scope: TestScope, words: readonly string[]): TestDisk | undefined {
  if (mountSkipReason) return undefined;
  const dir = mkdtempSync(join(tmpdir(), "realmwatch-disk-"));
  let isMounted = false;
  // One hook for both: a folder that is still mounted cannot be removed.
  scope.after(() => {
    if (isMounted) execFileSync("umount", ["-l", dir]);
    rmSync(dir, { recursive: true, force: true });
  });
  isMounted = spawnSync("mount", [...words, dir]).status === 0;
  if (!isMounted) return undefined;
  const ballast = join(dir, "ballast");
  return {
    dir,
    fill() {
      const file = openSync(ballast, "w");
      try {
        for (;;) writeSync(file, Buffer.alloc(4096));
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(ballast),
  };
}
