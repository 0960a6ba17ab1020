import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { fuzzParser } from "./fuzz-parsers.ts";
import { fuzzedParsers } from "./parsers.ts";

/** Duration, s: ten minutes, or the environment variable `SOAK_SECONDS`. */
const seconds = Number(process.env["SOAK_SECONDS"] ?? 600);
const textsPerRound = 20_000;

test("[IN14] minutes of random texts: every parser gives a result or a refusal", (t) => {
  const seed = testSeed(t);
  const chance = seededRandom(seed);
  const endMs = performance.now() + seconds * 1_000;
  let texts = 0;
  while (performance.now() < endMs)
    for (const [name, parser] of Object.entries(fuzzedParsers)) {
      assert.equal(fuzzParser(parser, chance, textsPerRound), undefined, `${name}, SEED=${seed}`);
      texts += textsPerRound;
    }
  console.log(JSON.stringify({ texts }));
});
