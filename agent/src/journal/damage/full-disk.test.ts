import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Clock } from "@realmwatch/shared/model/clock";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import {
  commentCommandInput,
  historySeqs,
  journalBatch,
  openTestJournals,
  recoverWithStates,
  testHistoryEntry,
} from "../journal.fixture.ts";

const { newDir, open } = openTestJournals(after);

test("[DU16] a full disk refuses writes, stores no part of a batch, and recovers", async (t) => {
  const dir = newDir();
  if (!mountTiny(dir)) return t.skip("needs root, to mount a tiny tmpfs");
  t.after(() => execFileSync("umount", ["-l", dir]));
  const clock: Clock & { probe?: () => void } = {
    ...systemClock,
    after(ms, wake) {
      if (ms === 5_000) clock.probe = wake;
      return () => {};
    },
  };
  const journal = await open(dir, { clock });
  await journal.append(journalBatch({ states: [{ ref: "small", state: "{}" }], history: [testHistoryEntry(1)] }));
  const ballast = join(dir, "ballast");
  writeFileSync(ballast, Buffer.alloc(journal.health().freeBytes - 100_000));
  const large = journalBatch({
    states: Array.from({ length: 300 }, (_, i) => ({ ref: `h${i}`, state: "x".repeat(1_000) })),
    history: [testHistoryEntry(2)],
  });
  const [refused, small] = await Promise.all([journal.append(large), journal.accept(commentCommandInput("fits"))]);
  assert.deepEqual(!refused.ok && refused.error.kind, "unavailable");
  assert.match(!refused.ok && refused.error.kind === "unavailable" ? refused.error.what : "", /disk is full/);
  assert.equal(small.ok, true, "a small command still fits");
  assert.equal(journal.health().writable, false);
  assert.deepEqual(await historySeqs(journal), [1], "history can still be read");

  rmSync(ballast);
  clock.probe?.();
  const appended = await journal.append(large);
  assert.equal(appended.ok && appended.value.lastHistorySeq, 2);
  assert.equal(journal.health().writable, true);
  await journal.close();
  const again = await open(dir);
  assert.equal((await recoverWithStates(again)).states.length, 301);
  await again.close();
});

function mountTiny(dir: string): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync("mkdir", ["-p", dir]);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", dir], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
