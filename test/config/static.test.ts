import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCueCommand } from "@realmwatch/shared/platform/cue/engine/command";
import { loadCueEvaluator } from "@realmwatch/shared/platform/cue/engine/evaluator";
import { ownLimit } from "@realmwatch/shared/platform/cue/engine/memory-limit";
import { prepareSources } from "@realmwatch/shared/platform/cue/source/cue-sources";
import { parseStatic } from "@realmwatch/shared/platform/cue/static/parse-static";
import fc from "fast-check";
import { anyDocument, anyFiles } from "./static-documents.ts";
import { corpus, mutated } from "./static-mutations.ts";

// Compares the parser of static documents with CUE. PLAIN_RUNS=1000000 tries more documents than the default.
const runs = Number(process.env.PLAIN_RUNS ?? 8_000);

// Both replace globals of this process, so no other test may run in it.
const memoryBytes = 2 ** 30;
const command = await loadCueCommand(memoryBytes);
const evaluate = await loadCueEvaluator(ownLimit(memoryBytes));

const filesOf = (texts: readonly string[]) => texts.map((text, i) => ({ name: `${i}.cue`, text }));

/** Value of a document as CUE prints it. Fails when CUE rejects it. */
function evaluated(text: string, evaluator: typeof evaluate): string {
  const result = evaluator(text);
  assert.ok(result.ok, `CUE rejects it: ${result.ok || result.error}`);
  return JSON.stringify(JSON.parse(result.value));
}

/**
 * Returns true when the document was parsed without CUE. CUE must then give the same value and field order. After
 * thousands of documents the order of CUE may depend on those before, so a difference counts only in a new evaluator,
 * which is how the programs run it.
 */
async function agrees(text: string): Promise<boolean> {
  const parsed = parseStatic(filesOf([text]));
  if (parsed === undefined) return false;
  if (evaluated(text, evaluate) === JSON.stringify(parsed)) return true;
  assert.equal(JSON.stringify(parsed), evaluated(text, await loadCueEvaluator(ownLimit(memoryBytes))));
  return true;
}

test("generated documents are parsed as CUE evaluates them", async () => {
  let staticCount = 0;
  const property = fc.asyncProperty(anyDocument, async (text) => {
    if (await agrees(text)) staticCount += 1;
  });
  await fc.assert(property, { numRuns: runs });
  assert.ok(staticCount > runs / 3, `only ${staticCount} of ${runs} were static`);
});

test("real documents with a few characters changed are parsed as CUE evaluates them", async () => {
  let staticCount = 0;
  const property = fc.asyncProperty(mutated(corpus), async (text) => {
    if (await agrees(text)) staticCount += 1;
  });
  await fc.assert(property, { numRuns: runs });
  assert.ok(staticCount > runs / 10, `only ${staticCount} of ${runs} were static`);
});

test("several files are unified as CUE unifies them", async () => {
  const staticFiles = anyFiles.filter(
    (texts) => prepareSources(filesOf(texts)).ok && parseStatic(filesOf(texts)) !== undefined,
  );
  const property = fc.asyncProperty(staticFiles, async (texts) => {
    const sources = prepareSources(filesOf(texts));
    assert.ok(sources.ok);
    const { code, stdout, stderr } = await command(["export", ...sources.value.texts.keys()], sources.value.texts);
    assert.equal(code, 0, stderr);
    assert.equal(JSON.stringify(parseStatic(filesOf(texts))), JSON.stringify(JSON.parse(stdout)));
  });
  await fc.assert(property, { numRuns: Math.ceil(runs / 200) });
});
