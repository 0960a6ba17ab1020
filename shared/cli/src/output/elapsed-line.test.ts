import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { testEnvironment } from "../run-cli.fixture.ts";
import { runWithElapsedLine } from "./elapsed-line.ts";

test("a long command says how long it has worked, not during a question, and its output takes the line away", async () => {
  const clock = manualClock(0);
  let written = "";
  const write = (text: string): void => {
    written += text;
  };
  const environment = { ...testEnvironment, clock, print: write, confirm: async () => passing(60_000) };
  function passing(ms: number): boolean {
    clock.advance(ms);
    return true;
  }
  await runWithElapsedLine(environment, write, async ({ print, confirm, progress }) => {
    passing(2_500);
    assert.equal(written, "");
    passing(1_500);
    assert.equal(written, "\u001b[Kstill working after 3 s\r\u001b[Kstill working after 4 s\r");
    written = "";
    progress?.("12 of 400 downtimes (3 %)");
    passing(1_000);
    assert.equal(written, "\u001b[Kstill working after 5 s: 12 of 400 downtimes (3 %)\r");
    written = "";
    await confirm?.("really?");
    assert.equal(written, "\u001b[K");
    written = "";
    print("done\n");
    passing(10_000);
  });
  assert.equal(written, "done\n");
});
