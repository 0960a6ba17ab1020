import assert from "node:assert/strict";
import { test } from "node:test";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { formatAge, formatLocalTime, refText, statusCell } from "./format-object.ts";
import type { Screen } from "./table.ts";

const nowMs = Date.parse("2026-03-29T01:00:00Z");
const screen: Screen = { columns: undefined, colours: false, nowMs, zone: "Europe/Berlin" };

const ages: [ms: number, text: string][] = [
  [0, "0s"],
  [-5_000, "0s"],
  [45_999, "45s"],
  [119_000, "119s"],
  [120_000, "2m"],
  [7_199_000, "119m"],
  [47 * 3_600_000, "47h"],
  [48 * 3_600_000, "2d"],
];
for (const [ms, text] of ages)
  test(`${ms} ms ago is ${text}`, () => assert.equal(formatAge(timestampToProto(nowMs - ms), screen), text));

test("unset fields are empty", () => {
  assert.deepEqual(
    [formatAge(undefined, screen), formatLocalTime(undefined, screen), refText(undefined)],
    ["", "", ""],
  );
});

test("times are in the zone of the screen", () => {
  assert.equal(formatLocalTime(timestampToProto(nowMs), screen), "2026-03-29 03:00:00");
});

test("a status has a name and a colour; one of a newer server is blank", () => {
  assert.deepEqual(statusCell(Status.UNREACHABLE), { text: "UNREACHABLE", colour: "magenta" });
  assert.deepEqual(statusCell(99), { text: "" });
});
