import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import { noAuthor } from "@realmwatch/shared/model/author";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok } from "@realmwatch/shared/model/result";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import { parseAlerts } from "./alert.ts";
import { AlertIntake } from "./alert-intake.ts";
import { firingAlertsFile } from "./firing-alerts-file.ts";
import type { MappedAlert } from "./mapped-alert.ts";

const startMs = Date.parse("2026-11-20T03:00:00Z");
const critical = (firesUntilMs: number | undefined, ref = "web1"): MappedAlert => ({
  ...{ key: ref, ref, status: "critical", output: "full", longOutput: "", source: "receiver prom" },
  firesUntilMs,
});

/** An intake on a folder of the test, with a journal that can be made to refuse. */
async function openIntake(t: TestContext, { clock = manualClock(startMs), folder = "" } = {}) {
  const dataDir = folder === "" ? mkdtempSync(join(tmpdir(), "realmwatch-alerts-")) : folder;
  const results: string[] = [];
  const warnings: string[] = [];
  const journal: { refusal: Refusal | undefined } = { refusal: undefined };
  const log = { info: () => {}, warn: (_: object, text: string) => void warnings.push(text) };
  const intake = new AlertIntake({
    clock,
    realm: { records: new Map([["web1", {}]]) as unknown as RealmReader["records"] },
    intake: {
      async submit(command, by) {
        if (journal.refusal !== undefined) return fail(journal.refusal);
        if (command.kind === "process_check_results")
          results.push(...command.results.map(({ ref, status }) => `${ref} ${status} ${clock.now() - startMs}`));
        return ok({ seq: 1, atMs: clock.now(), ...by, command } satisfies AcceptedCommand);
      },
    },
    file: (alerts) => firingAlertsFile({ dataDir, alerts, log: log as never }),
    endFailed: () => void warnings.push("end failed"),
  });
  t.after(async () => {
    await intake.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  await intake.start();
  return {
    intake,
    clock,
    results,
    warnings,
    journal,
    dataDir,
    submit: (one: MappedAlert) => intake.submit([one], noAuthor, []),
  };
}

test("[AR6] an alert that is not sent again is ok at its end, and one that is sent again stays", async (t) => {
  const { clock, results, submit } = await openIntake(t);
  await submit(critical(startMs + 60_000));
  clock.advance(50_000);
  await submit(critical(startMs + 110_000));
  clock.advance(59_999);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(results, ["web1 critical 0", "web1 critical 50000"]);
  clock.advance(1);
  await until("it ends", () => results.length === 3);
  assert.equal(results[2], "web1 ok 110000");
});

test("[AR6] an alert without an end fires for five minutes, as does one of a Go program that has set none", async () => {
  for (const endsAt of [undefined, "0001-01-01T00:00:00Z", ""]) {
    const body = Buffer.from(JSON.stringify([{ labels: { a: "b" }, endsAt }]));
    const parsed = await parseAlerts(body, { nowMs: startMs, nextTurn: async () => true });
    assert.equal(parsed.ok && parsed.value.alerts[0]?.firesUntilMs, startMs + 300_000);
  }
});

test("[AR9] after a restart an alert ends at its time, but never before its sender could send it again", async (t) => {
  const first = await openIntake(t);
  await first.submit(critical(startMs + 60_000));
  await first.submit(critical(startMs + 60_000, "gone"));
  await first.intake.close();
  const clock = manualClock(startMs + 3_600_000);
  const { results, dataDir } = await openIntake(t, { clock, folder: first.dataDir });
  clock.advance(299_999);
  assert.deepEqual(results, []);
  clock.advance(1);
  await until("it ends", () => results.length === 1);
  // The document has the other object no longer.
  assert.deepEqual(results, ["web1 ok 3900000"]);
  await until("it is forgotten", () => !/web1|gone/.test(readFileSync(join(dataDir, "alerts.json"), "utf8")));
});

test("[AR9] a damaged file is logged and left out", async (t) => {
  const { dataDir } = await openIntake(t);
  for (const text of ["{", "[]", '{"version":2,"alerts":[]}', '{"version":1,"alerts":[{"key":"a"}]}']) {
    writeFileSync(join(dataDir, "alerts.json"), text);
    const { warnings } = await openIntake(t, { folder: dataDir });
    assert.deepEqual(warnings, ["the firing alerts are damaged and are left out"], text);
  }
});

test("[AR13] alerts that the journal refuses are refused as a whole, and an end is tried again", async (t) => {
  const { clock, results, warnings, journal, submit } = await openIntake(t);
  journal.refusal = { kind: "unavailable", what: "the disk is full" };
  assert.deepEqual(await submit(critical(startMs + 60_000)), fail(journal.refusal));
  journal.refusal = undefined;
  await submit(critical(startMs + 70_000));
  journal.refusal = { kind: "unavailable", what: "the disk is full" };
  clock.advance(70_000);
  await until("the end is refused", () => warnings.includes("end failed"));
  journal.refusal = undefined;
  clock.advance(30_000);
  await until("it is tried again", () => results.length === 2);
  assert.deepEqual(results, ["web1 critical 0", "web1 ok 100000"]);
});

test("[AR14] many alerts are parsed in slices, and no further when the sender is gone", async () => {
  const body = Buffer.from(JSON.stringify(Array.from({ length: 10_000 }, () => ({ labels: { a: "b" } }))));
  let turns = 0;
  const nextTurn = async () => {
    turns += 1;
    return true;
  };
  const parsed = await parseAlerts(body, { nowMs: startMs, nextTurn });
  assert.deepEqual([parsed.ok && parsed.value.alerts.length, turns], [10_000, 20]);
  turns = 0;
  const left = await parseAlerts(body, { nowMs: startMs, nextTurn: async () => (await nextTurn()) && turns < 3 });
  assert.deepEqual([left.ok, turns], [false, 3]);
});
