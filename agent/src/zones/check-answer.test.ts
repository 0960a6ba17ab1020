import assert from "node:assert/strict";
import { test } from "node:test";
import { type CheckAnswer, decodeCheckAnswer, encodeCheckAnswer } from "./check-answer.ts";
import { encodeZoneMessage } from "./zone-message.ts";

const point = { label: "time", value: 0.5, uom: "s", warn: "1", crit: "", min: 0, max: undefined };

test("[ZO1] answers survive encoding and decoding", () => {
  const answers: CheckAnswer[] = [
    { kind: "taken" },
    { kind: "declined" },
    { kind: "refused", why: "no" },
    {
      kind: "done",
      executionMs: 12.5,
      outcome: {
        status: "warning",
        output: "grüße",
        longOutput: "a\nb",
        perfdata: [point, { ...point, label: "none", value: undefined }],
      },
    },
  ];
  for (const answer of answers)
    assert.deepEqual(decodeCheckAnswer(encodeCheckAnswer("box:1", answer)), {
      ok: true,
      value: { worker: "box:1", answer },
    });
});

test("[ZO5] an invalid answer returns the reason", () => {
  const whole = { version: 1, worker: "box:1", kind: "done", executionMs: 1 };
  const outcome = { status: "ok", output: "", longOutput: "", perfdata: [] as unknown[] };
  const broken = [
    { ...whole, version: 2, outcome },
    { ...whole, worker: 7, outcome },
    { ...whole, kind: "sung", outcome },
    { ...whole, outcome: { ...outcome, status: "pending" } },
    { ...whole, outcome: { ...outcome, perfdata: [{ label: "a" }] } },
    { ...whole, outcome: { ...outcome, perfdata: [7] } },
    { ...whole, outcome: undefined },
    { ...whole, executionMs: "1", outcome },
    { ...whole, kind: "refused" },
  ];
  for (const message of broken) {
    const read = decodeCheckAnswer(encodeZoneMessage(message));
    assert.match(read.ok ? "" : read.error, /^the worker's answer (?:is incomplete|cannot)/, JSON.stringify(message));
  }
  assert.equal(decodeCheckAnswer(encodeZoneMessage({ ...whole, outcome })).ok, true);
});

test("[ZO5] an answer nested 100 000 levels deep returns the reason", () => {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  const deep = (open: string, inner: string, close: string): string =>
    open.repeat(100_000) + inner + close.repeat(100_000);
  const whole = '"version":1,"worker":"box:1","kind":"done","executionMs":1';
  const outcome = '"status":"ok","output":"","longOutput":""';
  for (const value of [deep("[", "", "]"), deep('{"a":', "1", "}"), deep("[", "", "")])
    for (const text of [
      value,
      `{"version":${value}}`,
      `{${whole},"outcome":${value}}`,
      `{${whole},"outcome":{${outcome},"perfdata":${value}}}`,
      `{${whole},"outcome":{${outcome},"perfdata":[${value}]}}`,
    ])
      assert.match(JSON.stringify(decodeCheckAnswer(encode(text))), /the worker's answer (?:is incomplete|cannot)/);
});
