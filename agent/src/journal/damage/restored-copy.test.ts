import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { acceptRestoreSubCommand } from "../../commands/accept-restore.ts";
import { runSubCommand } from "../../commands/run-sub-command.fixture.ts";
import { openRestoredCopy } from "./restored-copy.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-restored-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const newDir = (): string => mkdtempSync(join(folder, "data-"));
const log = { info() {}, warn() {}, error() {} };
const day = 86_400_000;
const now = Date.parse("2026-03-01T12:00:00Z");
const lost = { fromSeq: 101, toSeq: 150, lostCommands: 3 };
const text =
  "this agent started on an older copy of its data: history records 101 to 150 and 3 accepted commands since 2026-03-01T11:00:00Z were lost; accept that with realmwatch-agent accept-restore";

const accept = (dataDir: string) => runSubCommand(acceptRestoreSubCommand, [`-data-dir=${dataDir}`]);

test("[FD84] a loss is said until it is accepted, over restarts, and a running agent notices the acceptance", async () => {
  const dataDir = newDir();
  const clock = manualClock(now);
  const first = await openRestoredCopy({ dataDir, clock, log });
  assert.equal(first.text(), "");
  await first.note(lost, now - 3_600_000);
  assert.equal(first.text(), text);
  first.close();
  const second = await openRestoredCopy({ dataDir, clock, log });
  assert.equal(second.text(), text);
  assert.deepEqual(await accept(dataDir), { code: 0, stdout: `${dataDir}: accepted: ${text}`, stderr: "" });
  await until("the agent notices", () => {
    clock.advance(2_000);
    return second.text() === "";
  });
  assert.equal((await openRestoredCopy({ dataDir, clock, log })).text(), "");
  assert.deepEqual(await accept(dataDir), { code: 0, stdout: `${dataDir}: no loss has to be accepted`, stderr: "" });
});

test("[FD84] a restart after a week ends the note, one before does not", async () => {
  const dataDir = newDir();
  const first = await openRestoredCopy({ dataDir, clock: manualClock(now), log });
  await first.note(lost, undefined);
  first.close();
  for (const [days, isNoted] of [
    [7, true],
    [8, false],
  ] as const) {
    const copy = await openRestoredCopy({ dataDir, clock: manualClock(now + days * day), log });
    copy.close();
    assert.equal(copy.text() !== "", isNoted, `after ${days} days`);
  }
});

test("[FD84] a further loss is noted with the first one, and a damaged note counts as one", async () => {
  const dataDir = newDir();
  const copy = await openRestoredCopy({ dataDir, clock: manualClock(now), log });
  await copy.note(lost, now - 3_600_000);
  await copy.note({ fromSeq: 121, toSeq: 180, lostCommands: 2 }, now);
  copy.close();
  assert.match(copy.text(), /history records 101 to 180 and 5 accepted commands since 2026-03-01T11:00:00Z/);
  writeFileSync(join(dataDir, "restored-copy.json"), "{");
  const damaged = await openRestoredCopy({ dataDir, clock: manualClock(now + 99 * day), log });
  damaged.close();
  assert.match(damaged.text(), /unknown records were lost/);
});

test("a folder that does not exist is refused", async () => {
  const { code, stderr } = await accept(join(folder, "missing"));
  assert.deepEqual([code, /missing is not a folder: is it an agent's -data-dir\?/.test(stderr)], [1, true]);
});
