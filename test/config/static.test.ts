import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCueCommand } from "@realmwatch/shared/platform/cue/engine/command";
import { loadCueEvaluator } from "@realmwatch/shared/platform/cue/engine/evaluator";
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
const evaluate = await loadCueEvaluator(memoryBytes);

const filesOf = (texts: readonly string[]) => texts.map((text, i) => ({ name: `${i}.cue`, text }));

/** Returns true when the document was parsed without CUE. CUE must then give the same value and field order. */
function agrees(text: string): boolean {
  const parsed = parseStatic(filesOf([text]));
  if (parsed === undefined) return false;
  const evaluated = evaluate(text);
  assert.ok(evaluated.ok, `CUE rejects it: ${evaluated.ok || evaluated.error}`);
  assert.equal(JSON.stringify(parsed), JSON.stringify(JSON.parse(evaluated.value)));
  return true;
}

test("generated documents are parsed as CUE evaluates them", () => {
  let staticCount = 0;
  const property = fc.property(anyDocument, (text) => {
    if (agrees(text)) staticCount += 1;
  });
  fc.assert(property, { numRuns: runs });
  assert.ok(staticCount > runs / 3, `only ${staticCount} of ${runs} were static`);
});

test("real documents with a few characters changed are parsed as CUE evaluates them", () => {
  let staticCount = 0;
  const property = fc.property(mutated(corpus), (text) => {
    if (agrees(text)) staticCount += 1;
  });
  fc.assert(property, { numRuns: runs });
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
