import assert from "node:assert/strict";
import { test } from "node:test";
import {
  formatDate,
  formatDateTime,
  formatMinute,
  formatNearDateTime,
  formatShortDateTime,
} from "./format-date-time.ts";

const evening = Date.parse("2026-03-01T19:41:07Z");
const nextDay = evening + 86_400_000;

test("a time has 24 hours and a month by its name, in the order of the browser's locale", () => {
  const month = new Intl.DateTimeFormat(undefined, { month: "short", timeZone: "UTC" }).format(evening);
  assert.match(formatDateTime(evening, "utc"), /2026.*19:41:07$/);
  assert.ok(formatDate(evening, "utc").includes(month), formatDate(evening, "utc"));
  assert.equal(formatMinute(Date.parse("2026-03-01T00:05:00Z"), "utc"), "00:05");
});

test("the date is left out on its own day", () => {
  assert.deepEqual(
    [formatNearDateTime(evening, evening, "utc"), formatShortDateTime(evening, evening, "utc")],
    ["19:41:07", "19:41"],
  );
  assert.equal(formatShortDateTime(evening, nextDay, "utc"), `${formatDate(evening, "utc")} 19:41`);
});
