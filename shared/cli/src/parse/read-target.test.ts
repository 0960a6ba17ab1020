import assert from "node:assert/strict";
import { test } from "node:test";
import { toJson } from "@bufbuild/protobuf";
import { TargetSchema } from "@realmwatch/proto/svc/v1/common_pb";
import { readTarget } from "./read-target.ts";

const cases: [text: string | undefined, selector: string | undefined, json: object][] = [
  ["web1", undefined, { object: { host: { name: "web1" } } }],
  ["web1!http", undefined, { object: { service: { host: "web1", name: "http" } } }],
  ["web1!a!b", undefined, { object: { service: { host: "web1", name: "a!b" } } }],
  ["process:shop", undefined, { object: { process: { name: "shop" } } }],
  [undefined, "env=prod", { selector: "env=prod" }],
];
for (const [text, selector, json] of cases)
  test(`target ${text ?? `-selector ${selector}`}`, () => {
    const read = readTarget(text, selector);
    assert.ok(read.ok);
    assert.deepEqual(toJson(TargetSchema, read.value), json);
  });

const refused: [text: string | undefined, selector: string | undefined, why: RegExp][] = [
  [undefined, undefined, /^a target is required/],
  ["web1", "env=prod", /exclude each other/],
  ["", undefined, /^"" is not an object/],
  ["!http", undefined, /is not an object/],
  ["web1!", undefined, /is not an object/],
  ["process:", undefined, /is not an object/],
];
for (const [text, selector, why] of refused)
  test(`not a target: ${text} ${selector}`, () => {
    const read = readTarget(text, selector);
    assert.match(read.ok ? "" : read.error, why);
  });
