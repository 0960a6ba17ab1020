import assert from "node:assert/strict";
import { test } from "node:test";
import { toJson } from "@bufbuild/protobuf";
import { TargetSchema } from "@realmwatch/proto/svc/v1/common_pb";
import { readTarget } from "./read-target.ts";

const cases: [word: string | undefined, selector: string | undefined, json: object][] = [
  ["web1", undefined, { object: { host: { name: "web1" } } }],
  ["web1!http", undefined, { object: { service: { host: "web1", name: "http" } } }],
  ["web1!a!b", undefined, { object: { service: { host: "web1", name: "a!b" } } }],
  ["process:shop", undefined, { object: { process: { name: "shop" } } }],
  [undefined, "env=prod", { selector: "env=prod" }],
];
for (const [word, selector, json] of cases)
  test(`target ${word ?? `-selector ${selector}`}`, () => {
    const read = readTarget(word, selector);
    assert.ok(read.ok);
    assert.deepEqual(toJson(TargetSchema, read.value), json);
  });

const refused: [word: string | undefined, selector: string | undefined, why: RegExp][] = [
  [undefined, undefined, /^a target is needed/],
  ["web1", "env=prod", /both given/],
  ["", undefined, /^"" names no object/],
  ["!http", undefined, /names no object/],
  ["web1!", undefined, /names no object/],
  ["process:", undefined, /names no object/],
];
for (const [word, selector, why] of refused)
  test(`no target: ${word} ${selector}`, () => {
    const read = readTarget(word, selector);
    assert.match(read.ok ? "" : read.error, why);
  });
