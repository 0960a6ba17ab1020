import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCueCommand } from "@realmwatch/shared/platform/cue/engine/command";
import { loadCueEvaluator } from "@realmwatch/shared/platform/cue/engine/evaluator";
import { prepareSources } from "@realmwatch/shared/platform/cue/source/cue-sources";
import { parseStatic } from "@realmwatch/shared/platform/cue/static/parse-static";
import fc from "fast-check";
import { anyDocument, anyFiles } from "./static-documents.ts";
import { corpus, mutated } from "./static-mutations.ts";

// What is read without CUE is held against CUE itself. PLAIN_RUNS=1000000 tries more documents than the usual.
const runs = Number(process.env.PLAIN_RUNS ?? 8_000);

// Both take over globals of this process; nothing else runs in it.
const memoryBytes = 2 ** 30;
const command = await loadCueCommand(memoryBytes);
const evaluate = await loadCueEvaluator(memoryBytes);

const filesOf = (texts: readonly string[]) => texts.map((text, i) => ({ name: `${i}.cue`, text }));

/** Whether the document was read without CUE; if so, CUE must read the same, fields in the same order. */
function agrees(text: string): boolean {
  const read = parseStatic(filesOf([text]));
  if (read === undefined) return false;
  const asked = evaluate(text);
  assert.ok(asked.ok, `CUE refuses it: ${asked.ok || asked.error}`);
  assert.equal(JSON.stringify(read), JSON.stringify(JSON.parse(asked.value)));
  return true;
}

test("documents of every notation read as CUE reads them", () => {
  let plain = 0;
  const property = fc.property(anyDocument, (text) => {
    if (agrees(text)) plain += 1;
  });
  fc.assert(property, { numRuns: runs });
  assert.ok(plain > runs / 3, `only ${plain} of ${runs} were plain`);
});

test("real documents, a few characters changed, read as CUE reads them", () => {
  let plain = 0;
  const property = fc.property(mutated(corpus), (text) => {
    if (agrees(text)) plain += 1;
  });
  fc.assert(property, { numRuns: runs });
  assert.ok(plain > runs / 10, `only ${plain} of ${runs} were plain`);
});

test("files join as CUE joins them", async () => {
  const plain = anyFiles.filter(
    (texts) => prepareSources(filesOf(texts)).ok && parseStatic(filesOf(texts)) !== undefined,
  );
  const property = fc.asyncProperty(plain, async (texts) => {
    const sheet = prepareSources(filesOf(texts));
    assert.ok(sheet.ok);
    const { code, stdout, stderr } = await command(["export", ...sheet.value.texts.keys()], sheet.value.texts);
    assert.equal(code, 0, stderr);
    assert.equal(JSON.stringify(parseStatic(filesOf(texts))), JSON.stringify(JSON.parse(stdout)));
  });
  await fc.assert(property, { numRuns: Math.ceil(runs / 200) });
});
