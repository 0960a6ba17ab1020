import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesOf, read, root } from "./sources.ts";

type Rule = { readonly number: string; readonly title: string; readonly proofs: readonly string[] };

const rules: readonly Rule[] = read("test/architecture/proofs.txt")
  .text.split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [, number = "", title = "", proofs = ""] = /^(\d\S+) ([^:]+): (.+)$/.exec(line) ?? [];
    return { number, title, proofs: proofs.split("; ") };
  });

/** Why the proof is none; undefined where it is there. */
function missing(proof: string): string | undefined {
  const [file = "", name] = proof.split(" > ");
  const path = name === undefined ? `test/transcripts/${file}.txt` : file;
  if (!existsSync(join(root, path))) return `${path} does not exist`;
  return name === undefined || read(path).text.includes(name) ? undefined : `${path} has no ${name}`;
}

test("each rule has a number, a title of its own and a proof that exists", () => {
  const wrong = rules.flatMap(({ number, title, proofs }) =>
    number === ""
      ? ["a line is no rule"]
      : proofs.flatMap((proof) => missing(proof) ?? []).map((why) => `${number} ${title}: ${why}`),
  );
  assert.deepEqual(wrong, []);
  assert.equal(new Set(rules.map(({ number, title }) => `${number} ${title}`)).size, rules.length);
});

test("every number that a story gives in its first line is one of a rule", () => {
  const known = new Set(rules.map(({ number }) => number));
  const unknown = filesOf("test/transcripts/*.txt").flatMap((file) => {
    const [first = ""] = read(file).text.split("\n");
    const [, numbers = ""] = /^\[[^\]]*\] ((?:2\.\d+(?:\.\d+)?(?:-|, |(?=:)))+)/.exec(first) ?? [];
    return numbers
      .split(/, |-/)
      .filter((number) => number !== "" && !known.has(number))
      .map((number) => `${number} in ${file}`);
  });
  assert.deepEqual(unknown, []);
});
