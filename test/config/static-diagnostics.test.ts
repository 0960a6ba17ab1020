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

// A hidden field changes nothing about a document but that only CUE can read it: what is said of the document must
// be the same with and without one, to the last column.
const loader = openLoader(systemClock);
after(() => loader.close());

const options = { realm: "default", localZone: "UTC" } as const;
const load = (text: string) => loader.plan({ source: { kind: "text", text, name: "x.cue" }, options });
const isPlain = (text: string): boolean => parseStatic([{ name: "x.cue", text }]) !== undefined;

async function sameEitherWay(text: string): Promise<void> {
  const [plain, asked] = [await load(text), await load(`${text}\n_hidden: true\n`)];
  if (plain.ok && asked.ok) assert.deepEqual(plain.value.value, asked.value.value);
  else assert.deepEqual(plain, asked);
}

const host = (rest: string): string => `hosts: a: {address: "x", check: {type: "icmp", host: "x", flap: {}}}\n${rest}`;
/** Notations that the corpus has little of. */
const odd: readonly string[] = [
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

test("documents in odd notations say the same read plainly and by CUE", async () => {
  for (const text of odd) {
    assert.ok(isPlain(text), text);
    await sameEitherWay(text);
  }
});

test("the documents of the corpus say the same read plainly and by CUE", async () => {
  const texts = corpus.filter(isPlain);
  assert.ok(texts.length > 80, `${texts.length} are plain`);
  for (const text of texts) await sameEitherWay(text);
});

test("so do documents with a few characters changed", async () => {
  const documents = mutated([...corpus, ...odd, ...odd]).filter(isPlain);
  await fc.assert(fc.asyncProperty(documents, sameEitherWay), {
    numRuns: Math.ceil(Number(process.env.PLAIN_RUNS ?? 8_000) / 80),
  });
});

test("so do the files of a directory", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plain-"));
  try {
    const source = { kind: "path", path: folder } as const;
    await writeFile(join(folder, "a.cue"), 'hosts: a: {address: "x", zone: ""}\nviews: v: selector: "("\n');
    const second =
      'package p\nhosts: a: {check: {type: "icmp"}, bogus: 1}\nhosts: b: address: "x"\nhosts: a: address: "x"\n';
    await writeFile(join(folder, "b.cue"), second);
    const plain = await loader.plan({ source, options });
    await writeFile(join(folder, "b.cue"), `${second}_hidden: true\n`);
    assert.deepEqual(plain, await loader.plan({ source, options }));
    assert.ok(!plain.ok && plain.error.length > 5);
  } finally {
    await rm(folder, { recursive: true });
  }
});
