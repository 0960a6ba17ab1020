import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCueEvaluator } from "@realmwatch/shared/platform/cue/engine/evaluator";
import { ownLimit } from "@realmwatch/shared/platform/cue/engine/memory-limit";
import { evaluateSplit } from "@realmwatch/shared/platform/cue/split/evaluate-split";
import { mergeParts, takeParts } from "@realmwatch/shared/platform/cue/split/merge-parts";
import { findShapes } from "@realmwatch/shared/platform/cue/split/part-shapes";
import { type SplitSource, splitSource } from "@realmwatch/shared/platform/cue/split/split-source";
import type { Json, JsonStruct } from "@realmwatch/shared/platform/cue/static/json";
import fc from "fast-check";
import { shapedDocuments, splitDocuments } from "./split-documents.ts";
import { corpus, mutated } from "./static-mutations.ts";

// Compares documents that are evaluated part by part with the same documents evaluated as a whole.
// SPLIT_RUNS=100000 tries more documents than the default.
const runs = Number(process.env.SPLIT_RUNS ?? 1_000);

// It replaces globals of this process, so no other test may run in it.
const evaluate = await loadCueEvaluator(ownLimit(2 ** 30));

/** Value from parts in chunks of one or two entries; undefined when a part is rejected. */
function evaluateParts(split: SplitSource): JsonStruct | undefined {
  const parts = new Map<string, Json>();
  let rest: JsonStruct | undefined;
  for (let i = 0; i < split.parts.length; i += 1 + (i % 2)) {
    const labels = new Set(split.parts.slice(i, i + 1 + (i % 2)).map(({ label }) => label));
    const result = evaluate(split.textOf(({ text }, label) => (labels.has(label) ? text : undefined)));
    const json = result.ok ? JSON.parse(result.value) : undefined;
    const taken = result.ok ? takeParts({ labels, json }, "hosts", split.sharedLabels) : undefined;
    if (taken === undefined) return undefined;
    for (const [label, value] of taken.parts) parts.set(label, value);
    if (rest !== undefined) assert.deepEqual(taken.rest, rest, "what all share differs between parts");
    rest = taken.rest;
  }
  return rest && mergeParts(split, "hosts", { parts, rest });
}

function assertSame(value: JsonStruct, expected: JsonStruct): void {
  assert.deepEqual(value, expected);
  assert.equal(JSON.stringify(value.hosts), JSON.stringify(expected.hosts), "the order differs");
}

test("[RL22] generated documents have the same value in parts as in whole", () => {
  const seen = { split: 0, valid: 0, refusedParts: 0 };
  fc.assert(
    fc.property(splitDocuments, (text) => {
      const split = splitSource(text, "hosts");
      if (!split.ok || split.value.parts.length === 0) return;
      seen.split += 1;
      const whole = evaluate(text);
      if (!whole.ok && process.env.WHY) console.log(whole.error.slice(0, 100));
      const parts = evaluateParts(split.value);
      if (!whole.ok) return assert.equal(parts, undefined, whole.error);
      seen.valid += 1;
      if (parts === undefined) seen.refusedParts += 1;
      else assertSame(parts, JSON.parse(whole.value));
    }),
    { numRuns: runs },
  );
  assert.ok(seen.valid > runs / 8, `only ${seen.valid} of ${runs} were split and valid`);
  assert.ok(seen.refusedParts < seen.valid / 20, `the parts of ${seen.refusedParts} valid documents were refused`);
});

const evaluateAll = async (documents: readonly string[]) =>
  documents.map((text) => {
    const result = evaluate(text);
    return result.ok ? result.value : undefined;
  });

test("generated documents have the same value by shapes as in whole", async () => {
  const seen = { split: 0, shaped: 0, valid: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(shapedDocuments, async (text) => {
      const split = splitSource(text, "hosts");
      if (!split.ok) return;
      seen.split += 1;
      const { shapes } = findShapes(split.value);
      if (shapes.length === 0) return;
      seen.shaped += 1;
      const whole = evaluate(text);
      const value = await evaluateSplit(split.value, "hosts", { evaluateAll });
      if (!whole.ok) return assert.equal(value, undefined, whole.error);
      seen.valid += 1;
      if (value === undefined) seen.refused += 1;
      else assertSame(value.value, JSON.parse(whole.value));
    }),
    { numRuns: runs },
  );
  assert.ok(seen.valid > runs / 8, `only ${seen.valid} of ${runs} had shapes and were valid`);
  assert.equal(seen.refused, 0, "valid documents were refused");
});

test("real documents with a few characters changed have the same value in parts as in whole", async () => {
  let inParts = 0;
  await fc.assert(
    fc.asyncProperty(mutated(corpus), async (text) => {
      const split = splitSource(text, "hosts");
      if (!split.ok || split.value.parts.length === 0) return;
      const value = await evaluateSplit(split.value, "hosts", { evaluateAll });
      const whole = evaluate(text);
      if (!whole.ok) return assert.equal(value, undefined, whole.error);
      if (value === undefined) return;
      inParts += 1;
      assertSame(value.value, JSON.parse(whole.value));
    }),
    { numRuns: runs / 2 },
  );
  assert.ok(inParts > runs / 40, `only ${inParts} of ${runs / 2} were evaluated in parts`);
});

test("changed documents have the same value with what an earlier evaluation has kept", async () => {
  let used = 0;
  const change = fc.constantFrom(
    ...([
      [/"10\.0\.0\.1"/, '"10.0.0.7"'],
      [/"h-1": /, '"h-9": '],
      [/"h-2": [^\n]*\n/, ""],
      [/address: "/, 'address: "ab'],
      [/port: 80/, "port: 81"],
      [/(hosts: \{\n)/, '$1  "h-8": #T & {address: "x", tag: "y"}\n'],
    ] as const),
  );
  await fc.assert(
    fc.asyncProperty(shapedDocuments, change, async (before, [from, to]) => {
      const [old, now] = [before, before.replace(from, to)].map((text) => splitSource(text, "hosts"));
      if (!old?.ok || !now?.ok || now.value.parts.length === 0) return;
      const earlier = await evaluateSplit(old.value, "hosts", { evaluateAll });
      if (earlier === undefined) return;
      const value = await evaluateSplit(now.value, "hosts", { evaluateAll, kept: earlier.kept });
      const whole = evaluate(now.value.source);
      if (!whole.ok) return assert.equal(value, undefined, whole.error);
      if (value === undefined) return;
      used += 1;
      assertSame(value.value, JSON.parse(whole.value));
    }),
    { numRuns: runs / 2 },
  );
  assert.ok(used > runs / 20, `only ${used} of ${runs / 2} used kept values`);
});

test("[RL23] shapes that an earlier evaluation has kept are not evaluated again", async () => {
  const text = String.raw`#U: {address: string, length: len(address)}
hosts: {
  a1: #P & {address: "10.0.0.1"}
  a2: #P & {address: "10.0.0.2"}
  b1: #U & {address: "10.0.0.3"}
  b2: #U & {address: "10.0.0.4"}
}
#P: {address: string, url: "http://\(address)/"}
`;
  const evaluatedAfter = async (now: string): Promise<number> => {
    const [old, changed] = [text, now].map((each) => splitSource(each, "hosts"));
    assert.ok(old?.ok && changed?.ok);
    const earlier = await evaluateSplit(old.value, "hosts", { evaluateAll });
    let length = 0;
    const value = await evaluateSplit(changed.value, "hosts", {
      kept: earlier?.kept,
      evaluateAll(documents) {
        for (const each of documents) length += each.split(/address: "/).length - 1;
        return evaluateAll(documents);
      },
    });
    const whole = evaluate(now);
    assert.ok(whole.ok);
    assertSame(value?.value as JsonStruct, JSON.parse(whole.value));
    return length;
  };
  // `b1` and `b2` have no shape.
  assert.equal(await evaluatedAfter(text), 2);
  assert.equal(await evaluatedAfter(text.replace("10.0.0.1", "10.0.0.11")), 2);
  assert.equal(await evaluatedAfter(text.replace(/\n {2}a1.*/, "")), 2);
  assert.equal(await evaluatedAfter(text.replace(/\n {2}b1.*/, "")), 1);
  // `b1` and `b2` one by one, because of the length of a text; `a1` for `a2` too.
  assert.equal(await evaluatedAfter(text.replace("http:", "https:")), 3);
});

test("texts that are equal by chance have the same value by shapes as in whole", async () => {
  const computed = String.raw`"\(address)\(tag)"`;
  const templates = [
    `(*{k: ${computed}, r: 1} | {k: string, r: 2}) & {k: kind}`,
    `${computed} & !="vw"`,
    `${computed} & kind | *"other"`,
    `[if ${computed} == kind {1}]`,
    `{(kind): 1, (${computed}): 1}`,
    `{[=~"v"]: 1, (kind): _}`,
  ];
  for (const template of templates) {
    const hosts = ["p q pq", "u v uvw", "v w x"].map((texts, i) => {
      const [address, tag, kind] = texts.split(" ");
      return `"h${i}": #T & {address: "${address}", tag: "${tag}", kind: "${kind}"}`;
    });
    const text = `#T: {address: string, tag: string, kind: string, joined: ${template}}\nhosts: {\n${hosts.join("\n")}\n}`;
    const split = splitSource(text, "hosts");
    assert.ok(split.ok);
    const value = await evaluateSplit(split.value, "hosts", { evaluateAll });
    const whole = evaluate(text);
    if (whole.ok) assertSame(value?.value as JsonStruct, JSON.parse(whole.value));
    else assert.equal(value, undefined, whole.error);
  }
});

test("a shape that CUE rejects with symbols does not keep others from theirs", async () => {
  const lines = Array.from({ length: 40 }, (_, i) => [
    `x${i}: #T & {address: "10.0.0.${i}"}`,
    `y${i}: #T & {address: "10.0.1.${i}", n: ${i % 20}}`,
  ]).flat();
  const text = `#T: {address: string, n: *100 | int, e: *"10.0.1.7" | string}\nhosts: {
    ${lines.join("\n")}\n  z1: {a: "p-q", b: "\\(c)-q", c: "p", a: b}\n  z2: {a: "r-q", b: "\\(c)-q", c: "r", a: b}\n}`;
  const split = splitSource(text, "hosts");
  assert.ok(split.ok);
  let evaluated = 0;
  const value = await evaluateSplit(split.value, "hosts", {
    evaluateAll(documents) {
      for (const each of documents) evaluated += each.split('address: "').length - 1;
      return evaluateAll(documents);
    },
  });
  const whole = evaluate(text);
  assert.ok(whole.ok, whole.ok ? "" : whole.error);
  assertSame(value?.value as JsonStruct, JSON.parse(whole.value));
  assert.ok(evaluated < lines.length, `${evaluated} entries were evaluated`);
});

test("an obstacle is the expression that prevents a split", () => {
  const obstacles: readonly (readonly [source: string, message: string, at: string])[] = [
    ["n: len(hosts)\nhosts: a: {}", "refers to hosts", "hosts)"],
    ["hosts: {a: {}, b: up: hosts.a}", "refers to hosts", "hosts.a"],
    ["hosts: {for n in [1] {a: {}}}", "may declare entries of hosts of any name", "for"],
    ['hosts: {"\\(name)": {}}', "may declare entries of hosts of any name", '"\\(name'],
    ["hosts: {a: {}} & #Some", "is an expression, where hosts is not a struct that is written out", "& #Some"],
    ["hosts: #Hosts", "is an expression, where hosts is not a struct that is written out", "#Hosts"],
    ["#Doc\nhosts: a: {}", "may declare fields of any name at the root", "#Doc"],
    ["[string]: _\nhosts: a: {}", "may declare fields of any name at the root", "[string"],
    ["hosts: {a: {}", "has brackets that do not match", "{a"],
  ];
  for (const [source, message, at] of obstacles) {
    const split = splitSource(source, "hosts");
    assert.deepEqual(split, { ok: false, error: { message, at: source.indexOf(at) } }, source);
  }
});

test("an entry that others refer to is evaluated with each of them", () => {
  const split = splitSource('hosts: {web1: {address: "a"}, web2: {address: web1.address}, "w3": {}}', "hosts");
  assert.ok(split.ok);
  assert.deepEqual([...split.value.sharedLabels], ["web1"]);
  assert.deepEqual(
    split.value.parts.map(({ label }) => label),
    ["web2", "w3"],
  );
});
