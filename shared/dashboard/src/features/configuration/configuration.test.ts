import assert from "node:assert/strict";
import { test } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { ConfigDiagnosticsSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { documentHunks } from "@realmwatch/shared/view/line-diff";
import fc from "fast-check";
import { diagnosticsOf, explainConfigFailure, offsetOf } from "./config-problem.ts";
import { cueToken, startCueState } from "./cue-tokens.ts";

test("a document is rebuilt from the other one and the difference", () => {
  const lines = fc.array(fc.constantFrom("hosts: {", "}", "a: 1", "b: 2", '\tlabels: env: "prod"'), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const hunks = documentHunks(`${before.join("\n")}\n`, `${after.join("\n")}\n`);
      const given = `${before.join("\n")}\n`.split("\n");
      const rebuilt: (string | undefined)[] = [...given];
      const changes = hunks.flatMap((hunk) => hunk.lines);
      for (const { kind, before: at, text } of changes)
        if (at !== undefined) {
          assert.equal(given[at - 1], text);
          if (kind === "removed") rebuilt[at - 1] = undefined;
        }
      const wanted = `${after.join("\n")}\n`.split("\n");
      for (const { kind, after: at, text } of changes)
        if (kind !== "removed" && at !== undefined) assert.equal(wanted[at - 1], text);
      const added = changes.filter(({ kind }) => kind === "added").length;
      assert.equal(rebuilt.filter((line) => line !== undefined).length + added, wanted.length);
    }),
  );
});

test("only changed lines and the lines around them are part of the difference", () => {
  const before = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const hunks = documentHunks(before.join("\n"), before.toSpliced(20, 1, "new", "newer").join("\n"));
  const count = (kind: string) => hunks[0]?.lines.filter((line) => line.kind === kind).length;
  assert.deepEqual([count("added"), count("removed"), hunks.length, hunks[0]?.lines.length], [2, 1, 1, 9]);
  assert.deepEqual(documentHunks("same", "same"), []);
});

test("diagnostics are read from the detail of a refusal and from no other failure", () => {
  const refused = new ConnectError("refused", Code.InvalidArgument, undefined, [
    {
      desc: ConfigDiagnosticsSchema,
      value: { diagnostics: [{ message: "no such host", file: "a.cue", line: 3, column: 5 }] },
    },
  ]);
  // Details of a received error are encoded, those of a made one are not.
  assert.deepEqual(
    diagnosticsOf(refused)?.map(({ line, column }) => [line, column]),
    [[3, 5]],
  );
  assert.equal(diagnosticsOf(new ConnectError("busy", Code.ResourceExhausted)), undefined);
  assert.match(
    explainConfigFailure(new ConnectError("", Code.PermissionDenied), "fra") ?? "",
    /in realm fra needs the role admin/,
  );
});

test("line and column become an offset within the text", () => {
  const text = "ab\n\ncde";
  const cases: [line: number, column: number, offset: number][] = [
    [1, 1, 0],
    [1, 9, 2],
    [2, 1, 3],
    [3, 2, 5],
    [3, 9, 7],
    [9, 1, 7],
  ];
  for (const [line, column, offset] of cases) assert.equal(offsetOf(text, line, column), offset, `${line}:${column}`);
});

/** Tokens of a text as `word:kind`, without blanks. */
function tokensOf(text: string): string[] {
  const state = startCueState();
  return text.split("\n").flatMap((line) => {
    const found: string[] = [];
    for (let at = 0; at < line.length; ) {
      const { end, kind } = cueToken(line, at, state);
      const word = line.slice(at, end);
      if (word.trim() !== "") found.push(kind === undefined ? word : `${word}:${kind}`);
      at = end;
    }
    return found;
  });
}

const sources: [source: string, tokens: string[]][] = [
  ["// why", ["// why:comment"]],
  ['a: "b" // c', ["a:field", ":", '"b":string', "// c:comment"]],
  ["#Host: {port: *80 | int}", ["#Host:field", ":", "{", "port:field", ":", "*", "80:number", "|", "int:type", "}"]],
  ['"my host": x', ['"my host":field', ":", "x"]],
  ["for k in xs if true {}", ["for:keyword", "k", "in:keyword", "xs", "if:keyword", "true:atom", "{", "}"]],
  ['x: """\na "b"\n"""', ["x:field", ":", '""":string', 'a "b":string', '""":string']],
  ['"\\(n)-a"', ['"\\(n)-a":string']],
  ['x: #"a"b"#', ["x:field", ":", '#"a"b"#:string']],
  ["optional?: 1.5e3", ["optional:field", "?", ":", "1.5e3:number"]],
];
for (const [source, tokens] of sources)
  test(`CUE highlighting: ${source}`, () => assert.deepEqual(tokensOf(source), tokens));
