import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { testEnvironment } from "../run-cli.fixture.ts";
import { runWithElapsedLine } from "./elapsed-line.ts";

test("a long command says how long it has worked, not during a question, and its output takes the line away", async () => {
  const clock = manualClock(0);
  let written = "";
  const signals: AbortSignal[] = [];
  const write = (text: string): void => {
    written += text;
  };
  const environment = { ...testEnvironment, clock, print: write, confirm: async () => passing(60_000) };
  function passing(ms: number): boolean {
    clock.advance(ms);
    return true;
  }
  await runWithElapsedLine(environment, write, async ({ print, confirm, progress, followProgress }) => {
    passing(2_500);
    assert.equal(written, "");
    passing(1_500);
    assert.equal(written, "\u001b[Kstill working after 3 s\r\u001b[Kstill working after 4 s\r");
    written = "";
    progress?.("12 of 400 downtimes (3 %)");
    passing(1_000);
    assert.equal(written, "\u001b[Kstill working after 5 s: 12 of 400 downtimes (3 %)\r");
    written = "";
    let ended: AbortSignal | undefined;
    const asked = Promise.withResolvers<string>();
    let questions = 0;
    followProgress?.((signal) => {
      ended = signal;
      questions += 1;
      return asked.promise;
    });
    passing(1_000);
    passing(1_000);
    assert.equal(questions, 1, "it is asked again only after the answer");
    asked.resolve("no answer yet for 400 objects");
    await setImmediate();
    written = "";
    passing(1_000);
    assert.equal(written, "\u001b[Kstill working after 8 s: no answer yet for 400 objects\r");
    assert.deepEqual([questions, ended?.aborted], [2, false]);
    signals.push(...(ended === undefined ? [] : [ended]));
    written = "";
    await confirm?.("really?");
    assert.equal(written, "\u001b[K");
    written = "";
    print("done\n");
    passing(10_000);
  });
  assert.equal(written, "done\n");
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true],
  );
});
