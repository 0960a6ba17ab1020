import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { type ListStatusRequest, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { brokenService, timeToday } from "../explain/explain.fixture.ts";
import { cliHostRow, openCliServers, runTestCli } from "../run-cli.fixture.ts";
import type { CliEnvironment } from "../run-cli.ts";

const { serve } = openCliServers(after);

/** Runs the command line in the time zone of `timeToday`. */
const runInUtc = (args: readonly string[]) => runTestCli(args, { zone: "UTC" });

test("rows of a realm that is not current are last known, and colours are printed on a terminal only", async () => {
  const counts = (ok: number, critical: number) => [
    { status: Status.CRITICAL, count: critical },
    { status: Status.OK, count: ok },
  ];
  const url = await serve((router) =>
    router.service(QueryService, {
      listStatus: () => ({
        rows: [
          { ...cliHostRow("fra", "web1"), status: Status.CRITICAL, output: "x\u001b[2J", stale: true },
          { ...cliHostRow("fra", "web2"), stale: true },
          { ...cliHostRow("dub", "web1"), stale: false },
        ],
        realms: [
          {
            name: "fra",
            reachable: false,
            freshness: 5,
            lastSeen: { seconds: 1_774_717_020n },
            rowsHeld: 2,
            detail: "a\u001b[2J",
          },
          { name: "dub", reachable: true, freshness: 1, rowsHeld: 1, rowsExpected: 1 },
        ],
        summary: { counts: counts(2, 1), unhandled: 1, lastKnown: { counts: counts(1, 1), unhandled: 1 } },
      }),
    }),
  );
  const plain = await runTestCli(["status", "-server", url]);
  assert.match(plain.stdout, /^realm fra is unreachable, last seen 3m ago, 2 rows as of then: .*\n\nREALM +STATUS/);
  assert.match(plain.stdout, /\nfra +CRITICAL \(last known\) +web1 /);
  assert.match(plain.stdout, /\nfra +OK \(last known\) +web2\n/);
  assert.match(plain.stdout, /\ndub +OK +web1\n/);
  assert.match(
    plain.stdout,
    /\n3 objects: 1 critical, 1 of them last known, 2 ok, 1 of them last known; 1 unhandled\n$/,
  );
  assert.ok(!plain.stdout.includes("\u001b"));
  const painted = await runTestCli(["status", "-server", url], {
    colours: true,
    terminal: () => ({ columns: 80, rows: 40 }),
  });
  assert.ok(painted.stdout.includes("\u001b[90mCRITICAL (last known)"));
  assert.ok(painted.stdout.includes("\u001b[90mOK (last known)"));
  assert.ok(painted.stdout.includes("\u001b[32mOK\u001b"));
  assert.ok(!painted.stdout.includes("\u001b[2J"));
  const json = JSON.parse((await runTestCli(["status", "-server", url, "-output", "json"])).stdout);
  assert.deepEqual([json.rows[0].stale, json.realms[0].freshness], [true, "REALM_FRESHNESS_UNREACHABLE"]);
  assert.equal(json.summary.lastKnown.unhandled, 1);
  // The freshness is that of now, so it says nothing about an earlier time.
  const past = await runTestCli(["status", "-server", url, "-at", "2h"]);
  assert.match(past.stdout, /\n3 objects: 1 critical, 2 ok; 1 unhandled\nstate at 2026-03-28 16:00:00\n$/);
  assert.doesNotMatch(past.stdout, /last known|unreachable/);
});

test("realms are listed with the evidence about their rows", async () => {
  const url = await serve((router) =>
    router.service(QueryService, {
      getServerInfo: () => ({ aggregator: true }),
      listStatus: () => ({
        realms: [
          { name: "dub", reachable: true, freshness: 1, rowsHeld: 12, rowsExpected: 12, version: "2.1.0" },
          {
            name: "fra",
            reachable: true,
            freshness: 2,
            behindSince: { seconds: 1_774_717_020n },
            rowsHeld: 398,
            rowsExpected: 412,
            detail: "SVC_STATE is full",
            version: "2.0.0",
          },
        ],
      }),
    }),
  );
  const { stdout } = await runTestCli(["realms", "-server", url]);
  const words = stdout.split("\n").map((line) => line.split(/ {2,}/));
  assert.deepEqual(words.slice(0, 3), [
    ["REALM", "REACHABLE", "FRESHNESS", "LAST SEEN", "ROWS", "VERSION", "DETAIL", "DESCRIPTION"],
    ["dub", "yes", "current", "12/12", "2.1.0"],
    ["fra", "yes", "BEHIND", "398/412", "2.0.0", "SVC_STATE is full"],
  ]);
  const [, fra] = JSON.parse((await runTestCli(["realms", "-server", url, "-output", "json"])).stdout);
  assert.deepEqual(
    [fra.freshness, fra.behindSince, fra.rowsHeld, fra.rowsExpected, fra.detail, fra.version],
    ["REALM_FRESHNESS_BEHIND", "2026-03-28T16:57:00Z", 398, 412, "SVC_STATE is full", "2.0.0"],
  );
});

test("status -at requests the rows of that time, and ages count from it", async () => {
  const requests: ListStatusRequest[] = [];
  const url = await serve((router) =>
    router.service(QueryService, {
      listStatus(request) {
        requests.push(request);
        return { rows: [brokenService], summary: { counts: [{ status: 3, count: 1 }], unhandled: 1 } };
      },
    }),
  );
  const { stdout } = await runInUtc(["status", "-at", "16:00", "-server", url]);
  assert.match(stdout, /web1!http +60m /);
  assert.match(stdout, /\nstate at 2026-03-28 16:00:00\n$/);
  assert.deepEqual(requests[0]?.at?.seconds, timeToday("16:00:00").seconds);
  assert.match(
    (await runInUtc(["status", "-at", "soon", "-server", url])).stderr,
    /^realmwatch: -at: "soon" is not a time/,
  );
});

test("[NO25] status names each failing contact before anything else", async () => {
  const url = await serve((router) =>
    router.service(QueryService, {
      listStatus: () => ({ rows: [brokenService], summary: { counts: [{ status: 3, count: 1 }], unhandled: 1 } }),
      listContacts: () => ({
        contacts: [
          {
            name: "ops",
            realm: "fra",
            failingSince: timeToday("16:45:00"),
            queued: 3,
            lastError: "connection refused",
          },
          { name: "ann", realm: "nyc", lastError: "timeout" },
        ],
      }),
    }),
  );
  const [first = ""] = (await runInUtc(["status", "-server", url])).stdout.split("\n");
  assert.equal(
    first,
    "CONTACT FAILING: ops of realm fra has taken no notification for 15m (since 2026-03-28 16:45:00), 3 notifications queued: connection refused",
  );
  assert.doesNotMatch((await runInUtc(["status", "-server", url, "-realm", "nyc"])).stdout, /CONTACT/);
  assert.doesNotMatch((await runInUtc(["status", "-at", "16:00", "-server", url])).stdout, /CONTACT/);
});

test("-watch shows the state again and again, keeps the last one without an answer, and ends without an error", async () => {
  let calls = 0;
  const url = await serve((router) =>
    router.service(QueryService, {
      listStatus() {
        calls += 1;
        if (calls === 2) throw new ConnectError("at rest", Code.Unavailable);
        return { rows: Array.from({ length: 30 }, (_, at) => cliHostRow("", `web${at}`)) };
      },
    }),
  );
  const watch = async (more: Partial<CliEnvironment>, args: readonly string[] = []) => {
    calls = 0;
    const ending = new AbortController();
    const screens: string[] = [];
    const environment = {
      clock: systemClock,
      stopSignal: () => ending.signal,
      print(text: string) {
        if (screens.push(text) === 3) ending.abort();
      },
      ...more,
    };
    const ended = await runTestCli(["status", "-watch", "-interval", "1s", "-server", url, ...args], environment);
    return { ...ended, screens };
  };
  let cleared = 0;
  const terminal = { terminal: () => ({ columns: 80, rows: 10 }), clear: () => void cleared++ };
  const { code, stderr, screens } = await watch(terminal);
  assert.deepEqual([code, stderr, screens.length, cleared], [0, "", 3, 3]);
  assert.match(screens[0] ?? "", /^STATUS .*\n(OK +web\d+ *\n){7}… \d+ more lines\n$/);
  assert.match(screens[1] ?? "", /at rest.*\nstate of \d+s ago:\n\nSTATUS /);
  assert.equal(screens[0]?.split("\n").length, 10);
  const lines = await watch({}, ["-output", "ndjson"]);
  assert.equal(new Set(lines.screens).size, 1);
  assert.match(lines.stderr, /^realmwatch: .*at rest \(unavailable\)\n$/);
  const piped = await watch({});
  assert.match(piped.screens[2] ?? "", /^STATUS .*\n(OK +web\d+ *\n){30}/);
  const refused = await runTestCli(["status", "-watch", "-interval", "10ms", "-server", url]);
  assert.deepEqual([refused.code, refused.stderr], [2, 'realmwatch: -interval: "10ms" is below 1s\n']);
  assert.equal((await runTestCli(["status", "-watch", "-at", "2h", "-server", url])).code, 2);
});
