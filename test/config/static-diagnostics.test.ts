import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { parseStatic } from "@realmwatch/shared/platform/cue/static/parse-static";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import fc from "fast-check";
import { corpus, mutated } from "./static-mutations.ts";

// A hidden field does not change a document's value, but only CUE can evaluate it: the diagnostics must be the same with
// and without one.
const loader = openLoader(systemClock);
after(() => loader.close());

const options = { realm: "default", localZone: "UTC" } as const;
const load = (text: string) => loader.plan({ source: { kind: "text", text, name: "x.cue" }, options });
const isStatic = (text: string): boolean => parseStatic([{ name: "x.cue", text }]) !== undefined;

async function assertSameResult(text: string): Promise<void> {
  const [withoutCue, withCue] = [await load(text), await load(`${text}\n_hidden: true\n`)];
  if (withoutCue.ok && withCue.ok) assert.deepEqual(withoutCue.value.value, withCue.value.value);
  else assert.deepEqual(withoutCue, withCue);
}

const host = (rest: string): string => `hosts: a: {address: "x", check: {type: "icmp", host: "x", flap: {}}}\n${rest}`;
/** Notations that are rare in the corpus. */
const unusual: readonly string[] = [
  host("hosts: a: check: max_attempts: -1"),
  host("hosts: a: check: max_attempts: 1.5"),
  host('hosts: a: check: check_interval: """\n\tlong\n\t"""'),
  host('hosts: a: zone: """\n\t"""\nhosts: a: check: {\n\ttimeout:\n\n\t\t"9h"\n}'),
  host('hosts: a: {labels: {A: "1"}, parents: ["b",\n"a", 3]}\nhosts: a: labels: {b: "é", c: "e\u0301"}'),
  host('hosts: a: address: "x"\nhosts: "b": {}\nhosts: a: services: s: check: {type: "tcp", flap: {}}'),
  host('hosts: a: services: "é": {check: null, notification: true, labels: {x: -1.5}}'),
  '{"hosts": {"a": {"address": "", "check": {"type": "icmp",\n"host": 3, "flap": []}}, "10": {}, "9": {}}}',
  'package p\n{"hosts": {"__proto__": {"address": ["x"]}},\n "views": {"": {"selector": "@host=("}}}\n',
];

test("documents in unusual notations give the same diagnostics with and without CUE", async () => {
  for (const text of unusual) {
    assert.ok(isStatic(text), text);
    await assertSameResult(text);
  }
});

test("the documents of the corpus give the same diagnostics with and without CUE", async () => {
  const texts = corpus.filter(isStatic);
  assert.ok(texts.length > 80, `${texts.length} are static`);
  for (const text of texts) await assertSameResult(text);
});

test("documents with a few characters changed give the same diagnostics with and without CUE", async () => {
  const documents = mutated([...corpus, ...unusual, ...unusual]).filter(isStatic);
  await fc.assert(fc.asyncProperty(documents, assertSameResult), {
    numRuns: Math.ceil(Number(process.env.PLAIN_RUNS ?? 8_000) / 80),
  });
});

test("the files of a directory give the same diagnostics with and without CUE", async () => {
  const folder = await mkdtemp(join(tmpdir(), "static-"));
  try {
    const source = { kind: "path", path: folder } as const;
    await writeFile(join(folder, "a.cue"), 'hosts: a: {address: "x", zone: ""}\nviews: v: selector: "("\n');
    const second =
      'package p\nhosts: a: {check: {type: "icmp"}, bogus: 1}\nhosts: b: address: "x"\nhosts: a: address: "x"\n';
    await writeFile(join(folder, "b.cue"), second);
    const withoutCue = await loader.plan({ source, options });
    await writeFile(join(folder, "b.cue"), `${second}_hidden: true\n`);
    assert.deepEqual(withoutCue, await loader.plan({ source, options }));
    assert.ok(!withoutCue.ok && withoutCue.error.length > 5);
  } finally {
    await rm(folder, { recursive: true });
  }
});
