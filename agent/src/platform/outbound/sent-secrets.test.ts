import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutSentSecrets } from "./sent-secrets.ts";

const request = {
  url: "https://user:s3cretpass@db.example/hooks/T024BE7LD0123456789/in?key=q7Zk9-3xYw&query=INSERT INTO perfdata",
  headers: {
    Authorization: "Bearer abcdefgh12345678",
    "X-Signature": 'Credential=AKIAEXAMPLE/eu/s3, Extra="quoted value"',
    "Content-Type": "application/json",
    "Proxy-Authorization": `Basic ${Buffer.from("ann:correct horse").toString("base64")}`,
  },
};

const rows: [text: string, isKept: boolean][] = [
  ["", true],
  ["no bearer token of application/json at db.example", true],
  ["INSERT INTO perfdata: syntax error in /hooks/in", true],
  ["401 for abcdefgh12345678", false],
  ["401 for BEARER ABCDEFGH12345678", false],
  [`base64 ${Buffer.from("abcdefgh12345678").toString("base64")}`, false],
  ["login s3cretpass", false],
  ["POST /hooks/T024BE7LD0123456789/in", false],
  ["key q7Zk9-3xYw", false],
  ["no such key: AKIAEXAMPLE/eu/s3", false],
  ["user ann, password correct horse", false],
  ["correct%20horse", false],
];
for (const [text, isKept] of rows)
  test(`[IN13] a receiver's text is ${isKept ? "kept" : "dropped"}: ${text}`, () =>
    assert.equal(withoutSentSecrets(text, request), isKept ? text : ""));

test("[IN13] an invalid URL and a lone surrogate are not errors", () =>
  assert.equal(withoutSentSecrets("text", { url: "no url", headers: { a: "\ud800 surrogate" } }), "text"));
