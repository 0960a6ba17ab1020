import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ChangedValue,
  type EvaluatedEntries,
  evaluateChanges,
  withUnchanged,
} from "@realmwatch/shared/load/evaluate-changes";
import { loadCueEvaluator } from "@realmwatch/shared/platform/cue/engine/evaluator";
import { ownLimit } from "@realmwatch/shared/platform/cue/engine/memory-limit";
import { evaluateSplit } from "@realmwatch/shared/platform/cue/split/evaluate-split";
import { splitSource } from "@realmwatch/shared/platform/cue/split/split-source";
import type { JsonStruct } from "@realmwatch/shared/platform/cue/static/json";
import { parseStatic } from "@realmwatch/shared/platform/cue/static/parse-static";
import { parseStaticEntries } from "@realmwatch/shared/platform/cue/static/parse-static-entries";
import fc from "fast-check";
import { shapedDocuments, splitDocuments } from "./split-documents.ts";
import { anyDocument } from "./static-documents.ts";
import { changes } from "./static-mutations.ts";

// Compares documents of which only the changed entries are evaluated with the same documents evaluated as a whole.
// CHANGE_RUNS=100000 tries more documents than the default.
const runs = Number(process.env.CHANGE_RUNS ?? 250);

// It replaces globals of this process, so no other test may run in it.
const evaluate = await loadCueEvaluator(ownLimit(2 ** 30));
/** Texts of documents; undefined for one that CUE rejects. */
const evaluateAll = async (documents: readonly string[]) =>
  documents.map((document) => {
    const value = evaluate(document);
    return value.ok ? value.value : undefined;
  });
/** No document, as a change of static data has none to evaluate. */
const evaluateNone = (): never => assert.fail("CUE was started");

type Before = { readonly value: JsonStruct; readonly evaluated: EvaluatedEntries };

/** Whole value of a changed document, with the values of unchanged entries from before. */
function wholeOf(changed: ChangedValue, before: Before): unknown {
  const hosts = before.value.hosts as JsonStruct;
  return withUnchanged(changed, "hosts", (label) => hosts[label]);
}

/** Compares also the order of hosts and of their fields. */
function assertSame(value: unknown, expected: unknown): void {
  assert.deepEqual(value, expected);
  assert.equal(JSON.stringify((value as JsonStruct).hosts), JSON.stringify((expected as JsonStruct).hosts));
}

const body = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('{address: "a", n: 1}', '{\n    address: "b" // }\n  }', "{}", '"""\n  {\n  """'),
  },
  { weight: 1, arbitrary: anyDocument.map((text) => `{\n${text}\n}`) },
);
const between = fc.constantFrom("\n  ", "\n  ", "\n  ", ", ", " // c\n  ", "\n}\nother: x: 1\nhosts: {\n  ");
const dataDocuments = fc
  .tuple(fc.array(fc.tuple(body, between), { minLength: 3, maxLength: 12 }), fc.constantFrom("h", "", "10"))
  .map(([entries, name]) => {
    const written = entries.map(([text, gap], i) => `"${name}${i}": ${text}${gap}`);
    return `package p\nhosts: {\n  ${written.join("")}\n}\nlast: {}\n`;
  });

/** Small changes, and changes of whole entries. */
const edits = fc.oneof(
  { weight: 3, arbitrary: changes(2) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      (text: string) => text.replace(/"a"/, '"changed"'),
      (text: string) => text.replace("hosts: {", 'hosts: {\n  "new": {address: "n"}'),
      (text: string) => text.replace(/\n {2}"h3": [^\n]*/, ""),
      (text: string) => text.replace(/"h2":/, '"renamed":'),
      (text: string) => text.replace(/\n {2}"h2": /, '\n}\nelse: {\n  "h2": '),
      (text: string) => text.replace(/(\n {2}"h1": [^\n]*)(\n {2}"h2": [^\n]*)/, "$2$1"),
    ),
  },
);

test("[RL23] generated data has the same value after a change as when it is read as a whole", async () => {
  const seen = { data: 0, used: 0, unchanged: 0 };
  await fc.assert(
    fc.asyncProperty(dataDocuments, edits, async (text, edit) => {
      const parsed = parseStaticEntries(text, "hosts");
      if (parsed?.entries === undefined) return;
      seen.data += 1;
      const before = { value: parsed.json as JsonStruct, evaluated: { entries: parsed.entries, inParts: undefined } };
      const now = edit(text);
      const changed = await evaluateChanges(now, "hosts", { before: before.evaluated, evaluateAll: evaluateNone });
      if (changed === undefined) return;
      seen.used += 1;
      seen.unchanged += changed.unchanged.size;
      assertSame(wholeOf(changed, before), parseStatic([{ name: "", text: now }]));
      const whole = parseStaticEntries(now, "hosts");
      assert.deepEqual(changed.evaluated.entries, whole?.entries, "the next load would look in the wrong place");
    }),
    { numRuns: runs * 5 },
  );
  assert.ok(seen.used > seen.data / 5, JSON.stringify(seen));
  assert.ok(seen.unchanged > 2 * seen.used, JSON.stringify(seen));
});

async function evaluateBefore(text: string): Promise<Before | undefined> {
  const split = splitSource(text, "hosts");
  if (!split.ok || split.value.entries === undefined) return undefined;
  const evaluated = await evaluateSplit(split.value, "hosts", { evaluateAll });
  if (evaluated === undefined) return undefined;
  const { entries, names } = split.value;
  return { value: evaluated.value, evaluated: { entries, inParts: { shapes: evaluated.kept, names } } };
}

test("[RL23] generated documents with templates have the same value after a change as when they are evaluated as a whole", async () => {
  const seen = { valid: 0, used: 0 };
  const cueEdits = fc.oneof(
    edits,
    fc.constantFrom(
      (text: string) => text.replace(/"10\.0\.0\.1"/, '"10.0.0.7"'),
      (text: string) => text.replace(/"h-1": /, '"h-9": '),
      (text: string) => text.replace(/"h-2": [^\n]*\n/, ""),
      (text: string) => text.replace(/address: "/, 'address: "ab'),
      (text: string) => text.replace(/port: 80/, "port: 81"),
      (text: string) => text.replace(/(hosts: \{\n)/, '$1  "h-8": #T & {address: "x", tag: "y"}\n'),
      (text: string) => text.replace(/(hosts: \{\n)/, "$1  z9: web1\n  lb0: a\n"),
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(splitDocuments, shapedDocuments), cueEdits, async (text, edit) => {
      const before = await evaluateBefore(text);
      if (before === undefined) return;
      seen.valid += 1;
      const now = edit(text);
      const changed = await evaluateChanges(now, "hosts", { before: before.evaluated, evaluateAll });
      if (changed === undefined) return;
      const whole = evaluate(now);
      assert.ok(whole.ok, whole.ok ? "" : whole.error);
      seen.used += 1;
      assertSame(wholeOf(changed, before), JSON.parse(whole.value));
    }),
    { numRuns: runs * 2 },
  );
  assert.ok(seen.used > seen.valid / 10, JSON.stringify(seen));
});
