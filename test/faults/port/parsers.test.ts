import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { fuzzParser, growingTexts, superlinearTexts } from "./fuzz-parsers.ts";
import { fuzzedParsers } from "./parsers.ts";
import { openWorkCounter, type WorkCounter } from "./work-counter.ts";

let counter: WorkCounter;
before(async () => {
  counter = await openWorkCounter();
});
after(() => counter.close());

for (const [name, parser] of Object.entries(fuzzedParsers)) {
  test(`[IN14] ${name}: every random text gives a result or a refusal`, (t) => {
    const seed = testSeed(t);
    assert.equal(fuzzParser(parser, seededRandom(seed), 3_000), undefined, `SEED=${seed}`);
  });
  test(`[IN14] ${name}: the work is proportional to the length of the text`, async () =>
    assert.deepEqual(await superlinearTexts(parser, counter), []));
  // The counter does not see regular expressions: one that backtracks would hang here for minutes.
  test(`[IN14] ${name}: texts of 128 KiB are parsed`, () => {
    for (const textOf of growingTexts(parser)) assert.equal(parser.parse(textOf(131_072)), undefined);
  });
}
