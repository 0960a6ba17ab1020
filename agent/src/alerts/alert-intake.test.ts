import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, type TestContext, test } from "node:test";
import { noAuthor } from "@realmwatch/shared/model/author";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { openTestJournals } from "../journal/journal.fixture.ts";
import type { JournalOptions } from "../journal/journal-contract.ts";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import { parseAlerts } from "./alert.ts";
import { AlertIntake } from "./alert-intake.ts";
import { parseStoredAlert } from "./firing-alerts.ts";
import type { MappedAlert } from "./mapped-alert.ts";

const { newDir, open } = openTestJournals(after);
const startMs = Date.parse("2026-11-20T03:00:00Z");
const critical = (firesUntilMs: number | undefined, ref = "web1"): MappedAlert => ({
  ...{ key: ref, ref, status: "critical", output: "full", longOutput: "", source: "receiver prom" },
  firesUntilMs,
});

type IntakeOptions = { readonly dataDir?: string; readonly pair?: JournalOptions["pair"] };

/** An intake on a journal that can be made to refuse. */
async function openIntake(
  t: TestContext,
  clock = manualClock(startMs),
  { dataDir = newDir(), pair }: IntakeOptions = {},
) {
  const results: string[] = [];
  const warnings: string[] = [];
  const refusing: { refusal: Refusal | undefined } = { refusal: undefined };
  const journal = await open(dataDir, pair && { pair });
  await journal.recover(() => {});
  const intake = new AlertIntake({
    ...{ clock, journal },
    realm: { records: new Map([["web1", {}]]) as unknown as RealmReader["records"] },
    intake: {
      async submit(command, by, records) {
        if (refusing.refusal !== undefined) return fail(refusing.refusal);
        const accepted = await journal.accept({ atMs: clock.now(), ...by, command }, records);
        if (command.kind === "process_check_results")
          results.push(...command.results.map(({ ref, status }) => `${ref} ${status} ${clock.now() - startMs}`));
        return accepted;
      },
    },
    endFailed: () => void warnings.push("end failed"),
  });
  const close = async (): Promise<void> => {
    await intake.close();
    await journal.close();
  };
  t.after(() => intake.close());
  const started = await intake.start();
  return {
    ...{ intake, clock, results, warnings, refusing, dataDir, started, close },
    submit: (...alerts: readonly MappedAlert[]): Promise<Result<undefined, Refusal>> =>
      intake.submit(alerts, noAuthor, []),
    /** Keys of the alerts that the journal has. */
    async stored(): Promise<readonly string[]> {
      const alerts = await journal.firingAlerts();
      if (!alerts.ok) assert.fail(JSON.stringify(alerts.error));
      return alerts.value.map(parseStoredAlert).map(({ key }) => key);
    },
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

test("[AR9, AR20] after a restart an alert ends at its time, but never before its sender could send it again", async (t) => {
  const first = await openIntake(t);
  await first.submit(critical(startMs + 60_000));
  await first.submit(critical(startMs + 60_000, "gone"));
  await first.close();
  const clock = manualClock(startMs + 3_600_000);
  const { results, stored } = await openIntake(t, clock, first);
  clock.advance(299_999);
  assert.deepEqual([results, await stored()], [[], ["web1", "gone"]]);
  clock.advance(1);
  await until("it ends", () => results.length === 1);
  // The document has the other object no longer.
  assert.deepEqual(results, ["web1 ok 3900000"]);
  await until("both are forgotten", async () => (await stored()).length === 0);
});

test("[AR20] an alert that is damaged in the journal stops the start: the object must not become ok", async (t) => {
  const first = await openIntake(t);
  await first.submit(critical(startMs + 60_000));
  await first.close();
  const db = new DatabaseSync(join(first.dataDir, "journal.db"));
  db.exec("UPDATE alert SET json = replace(json, 'full', 'half')");
  db.close();
  const { started } = await openIntake(t, first.clock, first);
  assert.deepEqual(started, fail({ kind: "unavailable", what: "the journal cannot be read: alert 1 is damaged" }));
});

test("[AR13, AR20] alerts that the journal refuses are refused as a whole, and an end is tried again", async (t) => {
  const { clock, results, warnings, refusing, submit, stored } = await openIntake(t);
  refusing.refusal = { kind: "unavailable", what: "the disk is full" };
  assert.deepEqual(await submit(critical(startMs + 60_000)), fail(refusing.refusal));
  assert.deepEqual(await stored(), []);
  refusing.refusal = undefined;
  await submit(critical(startMs + 70_000));
  refusing.refusal = { kind: "unavailable", what: "the disk is full" };
  clock.advance(70_000);
  await until("the end is refused", () => warnings.includes("end failed"));
  assert.deepEqual(await stored(), ["web1"]);
  refusing.refusal = undefined;
  clock.advance(30_000);
  await until("it is tried again", () => results.length === 2);
  assert.deepEqual(results, ["web1 critical 0", "web1 ok 100000"]);
});

test("[AR20] what a request writes grows with its own alerts, not with those that fire", async (t) => {
  const sizes: number[] = [];
  const pair: NonNullable<JournalOptions["pair"]> = {
    start() {},
    take: ({ groups }) => void sizes.push(groups.reduce((sum, { line }) => sum + line.length, 0)),
    lastPosition: () => 0,
    confirmed: async () => ok(undefined),
  };
  const { submit, stored } = await openIntake(t, manualClock(startMs), { pair });
  const many = Array.from({ length: 5_000 }, (_, at) => ({ ...critical(startMs + 60_000 + at), key: `k${at}` }));
  await submit(...many);
  await submit({ ...critical(startMs + 90_000), key: "k7" });
  await submit({ ...critical(undefined), key: "k8" }, { ...critical(undefined), key: "unknown" });
  const [storm = 0, again = 0, ended = 0] = sizes;
  assert.ok(storm > 5_000 * 100 && again < 1_000 && ended < 1_000, `${sizes}`);
  const last = await stored();
  assert.deepEqual([last.length, last.at(-1), last.includes("k8")], [4_999, "k7", false]);
});

test("[AR6, AR20] of many alerts that end at once, each ends once", async (t) => {
  const { clock, submit, stored, results } = await openIntake(t);
  const longOutput = "x".repeat(40_000);
  const many = Array.from({ length: 250 }, (_, at) => ({ ...critical(startMs + 60_000), key: `k${at}`, longOutput }));
  await submit(...many);
  clock.advance(60_000);
  await until("all have ended", async () => {
    clock.advance(0);
    return (await stored()).length === 0;
  });
  assert.deepEqual(results, ["web1 critical 0", "web1 critical 60000", "web1 critical 60000", "web1 ok 60000"]);
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
