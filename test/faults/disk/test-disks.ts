import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";

/** File system mounted at `dir` until the end of its test scope. */
type TestDisk = {
  readonly dir: string;
  /** Uses all free space, also while other programs write. */
  fill(): void;
  /** Frees the space that `fill` used. */
  empty(): void;
};

/** Reason to skip tests that need a mount; false when mounting is permitted. */
export const mountSkipReason: string | false =
  process.getuid?.() === 0 ? false : "needs root, to mount a disk for the test";

/** Mounts a file system in memory; undefined when that is not permitted. */
export const memoryDisk = (scope: TestScope, megabytes: number): TestDisk | undefined =>
  mounted(scope, ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs"]);

type FailingDisk = TestDisk & {
  /** Triggers a file system error in the kernel: it is read-only from then on, also for open files. */
  fail(): void;
  /** Repairs the file system and mounts it again. No program may use it meanwhile. */
  repair(): void;
};

/** Mounts an ext4 file system in a file; undefined when that is not permitted. */
export function failingDisk(scope: TestScope, megabytes: number): FailingDisk | undefined {
  const image = join(tmpdir(), `realmwatch-image-${process.pid}-${performance.now()}`);
  writeFileSync(image, "");
  truncateSync(image, megabytes * 1024 * 1024);
  atEnd(scope, () => rmSync(image, { force: true }));
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
      // Exit code 1: errors were repaired.
      assert.ok([0, 1].includes(spawnSync("e2fsck", ["-p", image]).status ?? -1));
      execFileSync("mount", [...words, disk.dir]);
    },
  };
}

function mounted(scope: TestScope, words: readonly string[]): TestDisk | undefined {
  if (mountSkipReason) return undefined;
  const dir = mkdtempSync(join(tmpdir(), "realmwatch-disk-"));
  let isMounted = false;
  // One cleanup for both: a folder that is still mounted cannot be removed.
  atEnd(scope, () => {
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
