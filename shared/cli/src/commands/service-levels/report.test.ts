import assert from "node:assert/strict";
import { after, test } from "node:test";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { type QueryAvailabilityRequest, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { openCliServers, runTestCli } from "../../run-cli.fixture.ts";

const { serve } = openCliServers(after);

/** Server of two realms, of which ams does not answer. Its host web is down for 1 of 100 h, and known for half of the time. */
async function startServer() {
  const asked: QueryAvailabilityRequest[] = [];
  const url = await serve((router) =>
    router.service(QueryService, {
      queryAvailability(request) {
        asked.push(request);
        return {
          slos: [
            {
              ...{ name: "shop", realm: "fra", target: 99.9, downtimesExcluded: true },
              objects: [
                {
                  object: { ref: { case: "host" as const, value: { name: "web" } } },
                  label: request.label === "app" ? "shop" : "",
                  seconds: [
                    { status: Status.OK, seconds: 99 * 3_600 },
                    { status: Status.CRITICAL, seconds: 3_600 },
                    { status: Status.UNSPECIFIED, seconds: 100 * 3_600 },
                  ],
                },
              ],
            },
            { name: "empty", realm: "fra", target: 99 },
          ],
          unanswered: [{ realm: "ams", code: "unavailable", message: "silent" }],
        };
      },
    }),
  );
  const rangeOf = () => {
    const { from, to } = asked.at(-1) ?? {};
    return [from, to].map((at) => at && timestampDate(at).toISOString());
  };
  return { url, asked, rangeOf };
}

// The fixture's clock shows 2026-03-28 18:00 in Europe/Berlin.
const ranges: [flags: string, from: string, to: string][] = [
  ["", "2026-01-31T23:00:00.000Z", "2026-02-28T23:00:00.000Z"],
  ["-month 2025-10", "2025-09-30T22:00:00.000Z", "2025-10-31T23:00:00.000Z"],
  ["-month 2025-10 -zone UTC", "2025-10-01T00:00:00.000Z", "2025-11-01T00:00:00.000Z"],
  ["-month 2026-03", "2026-02-28T23:00:00.000Z", "2026-03-28T17:00:00.000Z"],
  ["-from 2026-03-01 -to 2026-03-15 -zone America/New_York", "2026-03-01T05:00:00.000Z", "2026-03-15T04:00:00.000Z"],
  ["-from 7d", "2026-03-21T17:00:00.000Z", "2026-03-28T17:00:00.000Z"],
];
for (const [flags, from, to] of ranges)
  test(`[RP1, RP2] report ${flags} asks from ${from} to ${to}`, async () => {
    const { url, rangeOf } = await startServer();
    await runTestCli(["report", ...flags.split(" ").filter(Boolean), "-server", url]);
    assert.deepEqual(rangeOf(), [from, to]);
  });

test("[RP7, RP8] report prints the summary first, and marks evidence; realms without an answer are named", async () => {
  const { url } = await startServer();
  const { stdout, stderr, code } = await runTestCli(["report", "-month", "2026-02", "-output", "wide", "-server", url]);
  assert.equal(
    stdout,
    `2026-02, Europe/Berlin
2 objectives: 1 missed the target, 1 without evidence. 2 have evidence below 95 %.

REALM  OBJECTIVE  ACHIEVED     TARGET  BUDGET LEFT  EVIDENCE     DOWN  DOWNTIME  OBJECTS  WORST
fra    shop       99.0000 %    99.9 %  -900 %       50.00 % low  1 h   0 h       1        fra web 1 h
fra    empty      no evidence  99 %                 0.00 % low   0 h   0 h       0
`,
  );
  assert.deepEqual([stderr, code], ["realmwatch: realm ams: unavailable: silent\n", 1]);
});

test("[RP9] JSON, its lines and CSV have the same fields; a label is asked for in the same query", async () => {
  const { url, asked } = await startServer();
  const run = async (...args: string[]) =>
    (await runTestCli(["report", "-month", "2026-02", "-by", "label:App", ...args, "-server", url])).stdout;
  const { rows, ...rest } = JSON.parse(await run("-output", "json"));
  assert.deepEqual([asked.length, asked[0]?.label], [1, "app"]);
  assert.deepEqual([rest.month, rest.zone, rest.from], ["2026-02", "Europe/Berlin", "2026-01-31T23:00:00.000Z"]);
  assert.deepEqual(rest.unanswered, [{ realm: "ams", code: "unavailable", message: "silent" }]);
  assert.deepEqual([rows.length, rows[0].name, rows[0].worst[0].object], [1, "shop", "web"]);
  assert.deepEqual(JSON.parse(await run("-output", "ndjson")), rows[0]);
  const [heading, line] = (await run("-csv")).split("\r\n");
  assert.deepEqual(heading?.split(","), Object.keys(rows[0]));
  assert.equal(line, "shop,,1,99.9,99,-9,50,99,1,0,fra web");
});

test("[RP11] with -schedule the agent's program sends the report, with a note of the realm that is missing", async () => {
  const { url } = await startServer();
  const flags = ["-config", "a.cue", "-smtp-url", "smtp://h", "-smtp-password-file", "/p"];
  const { stdout, stderr, code, runs } = await runTestCli(["report", "-schedule", "chief", ...flags, "-server", url]);
  assert.deepEqual([stdout, stderr, code], ["", "realmwatch: realm ams: unavailable: silent\n", 0]);
  const [{ args, input } = { args: [], input: "" }] = runs;
  assert.deepEqual(args, ["mail-report", "-config=a.cue", "-smtp-url=smtp://h", "-smtp-password-file=/p", "chief"]);
  const { subject, text, attachment } = JSON.parse(input ?? "");
  assert.equal(
    subject,
    "Service levels 2026-02, Europe/Berlin: 2 objectives: 1 missed the target, 1 without evidence. 2 have evidence below 95 %.",
  );
  assert.match(text, /\nRealm ams gave no answer/);
  assert.match(attachment.csv, /^name,realm,.*\r\nshop,fra,/);
  assert.equal(attachment.name, "report-2026-02.csv");
});

const refusals: [flags: string, message: RegExp][] = [
  ["-month 2026-13", /-month: "2026-13" is not a month: write 2026-10/],
  ["-month 2026-04", /the range has not begun yet/],
  ["-month 2026-02 -from 7d", /-month excludes -from and -to/],
  ["-to 2026-02-01", /-to requires -from/],
  ["-from 2026-02-02 -to 2026-02-01", /the range begins at or after its end/],
  ["-zone Mars/Base", /-zone: "Mars\/Base" is not an IANA zone/],
  ["-by host", /-by: "host" must be slo, realm or label:KEY/],
];
for (const [flags, message] of refusals)
  test(`report ${flags} is refused before the server is asked`, async () => {
    const { stderr, code } = await runTestCli(["report", ...flags.split(" "), "-server", "http://127.0.0.1:9"]);
    assert.match(stderr, message);
    assert.equal(code, 2);
  });
