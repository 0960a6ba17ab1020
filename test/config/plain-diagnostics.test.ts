import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { readPlain } from "@realmwatch/shared/tools/cue/plain/read-plain";
import { systemClock } from "@realmwatch/shared/tools/system-clock";
import fc from "fast-check";
import { corpus, mutated } from "./plain-mutations.ts";

// A hidden field changes nothing about a document but that only CUE can read it: what is said of the document must
// be the same with and without one, to the last column.
const loader = openLoader(systemClock);
after(() => loader.close());

const options = { realm: "default", localZone: "UTC" } as const;
const load = (text: string) => loader.plan({ source: { kind: "text", text, name: "x.cue" }, options });
const isPlain = (text: string): boolean => readPlain([{ name: "x.cue", text }]) !== undefined;

async function sameEitherWay(text: string): Promise<void> {
  const [plain, asked] = [await load(text), await load(`${text}\n_hidden: true\n`)];
  if (plain.ok && asked.ok) assert.deepEqual(plain.value.value, asked.value.value);
  else assert.deepEqual(plain, asked);
}

test("the documents of the corpus say the same read plainly and by CUE", async () => {
  const texts = corpus.filter(isPlain);
  assert.ok(texts.length > 80, `${texts.length} are plain`);
  for (const text of texts) await sameEitherWay(text);
});

test("so do documents with a few characters changed", async () => {
  const documents = mutated(corpus).filter(isPlain);
  await fc.assert(fc.asyncProperty(documents, sameEitherWay), {
    numRuns: Math.ceil(Number(process.env.PLAIN_RUNS ?? 8_000) / 80),
  });
});
