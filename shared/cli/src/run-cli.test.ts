import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { AdminService, ConfigDiagnosticsSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService } from "@realmwatch/proto/svc/v1/realm_pb";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import type { AgentProgramRun } from "./local/run-agent-program.ts";
import { type CliEnvironment, runCli } from "./run-cli.ts";

const servers: Server[] = [];
const folder = mkdtempSync(join(tmpdir(), "run-cli-"));
after(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

async function serve(routes: (router: ConnectRouter) => void): Promise<string> {
  const server = createServer(connectNodeAdapter({ routes }));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function run(args: readonly string[], environment: Partial<CliEnvironment> = {}) {
  let [stdout, stderr] = ["", ""];
  const runs: AgentProgramRun[] = [];
  const code = await runCli({
    args,
    env: {},
    clock: manualClock(Date.parse("2026-03-28T17:00:00Z")),
    zone: "Europe/Berlin",
    columns: undefined,
    colours: false,
    loginName: () => "ann",
    confirm: undefined,
    readPassword: async () => undefined,
    runAgent: async (order) => {
      runs.push(order);
      return { code: 0, stdout: "-1 service\n" };
    },
    print: (text) => {
      stdout += text;
    },
    printError: (text) => {
      stderr += text;
    },
    ...environment,
  });
  return { code, stdout, stderr, runs };
}

const misuses: [args: string[], stderr: RegExp][] = [
  [[], /^realmwatch: a command is required; realmwatch -help lists them\n$/],
  [["downtime"], /^realmwatch: a command is required; realmwatch downtime -help lists them\n$/],
  [["stat"], /^realmwatch: there is no command "stat"; did you mean status\?\n$/],
  [["downtime", "xyzzy"], /^realmwatch: there is no command "xyzzy"; realmwatch downtime -help lists the commands\n$/],
  [
    ["ack", "web1", "-comment", "x", "-nope=hidden"],
    /^realmwatch: flag -nope is not known; realmwatch ack -help lists/,
  ],
  [["ack", "web1", "-tokn", "hidden", "-comment", "x"], /^realmwatch: flag -tokn is not known/],
  [["ack", "web1"], /^realmwatch: flag -comment is required\n$/],
  [["ack", "web1", "-comment"], /^realmwatch: flag -comment needs a value\n$/],
  [["ack", "remove", "web1", "-comment", "x"], /^realmwatch: flag -comment is not known; realmwatch ack remove -help/],
  [["ack", "-comment", "x"], /^realmwatch: a target is required/],
  [["ack", "web1", "-comment", "x", "-expires", "soon"], /^realmwatch: -expires: "soon" is not a time: write /],
  [["status", "a", "b"], /^realmwatch: there are too many arguments; realmwatch status -help/],
  [["toggle", "object", "notifications"], /^realmwatch: ON\|OFF is missing; realmwatch toggle object -help/],
  [["toggle", "program", "notifications", "yes"], /^realmwatch: "yes" is neither on nor off\n$/],
  [["comment", "rm"], /^realmwatch: ID is missing/],
  [["history", "-limit", "0"], /^realmwatch: -limit: "0" is not a whole number above 0\n$/],
  [["history", "-type", "ack"], /^realmwatch: -type: "ack" is not a record type; did you mean /],
  [
    ["downtime", "add", "x", "-comment", "y", "-end", "+1h", "-for", "1h"],
    /^realmwatch: -end and -for exclude each other/,
  ],
  [["downtime", "add", "x", "-comment", "y", "-end", "-1h"], /^realmwatch: -end must be after -start\n$/],
  [["downtime", "add", "x", "-comment", "y", "-for", "0"], /^realmwatch: -for: "0" must be above zero\n$/],
  [["-output", "xml", "status"], /^realmwatch: -output: "xml" is not one of table, wide, json, ndjson\n$/],
  [["-quiet=perhaps", "status"], /^realmwatch: -quiet is on or off/],
];
for (const [args, message] of misuses)
  test(`wrong usage exits with 2 and prints one line: ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await run(args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /\n.|hidden/);
  });

test("help and version are printed", async () => {
  const help = await run(["-help"]);
  assert.deepEqual([help.code, help.stderr], [0, ""]);
  assert.match(help.stdout, /^Usage: realmwatch COMMAND \[flags\]\n/);
  assert.match((await run(["downtime", "add", "--help"])).stdout, /\n {2}-triggered-by ID /);
  assert.match((await run(["-version"])).stdout, /^realmwatch \S+ \(commit \S+, node v\d/);
});

test("help prints the help of the program, a group or a command", async () => {
  const program = await run(["help"]);
  assert.deepEqual([program.code, program.stdout], [0, (await run(["-help"])).stdout]);
  assert.match((await run(["help", "downtime"])).stdout, /^Usage: realmwatch downtime COMMAND/);
  assert.match((await run(["help", "downtime", "add"])).stdout, /\n {2}-triggered-by ID /);
  const unknown = await run(["help", "xyzzy"]);
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [2, 'realmwatch: there is no command "xyzzy"; realmwatch help lists the commands\n'],
  );
});

test("a list is printed as one JSON value per line, and wide tables have more columns", async () => {
  const url = await serve((router) =>
    router.service(QueryService, { listStatus: () => ({ rows: [hostRow("", "web1"), hostRow("", "web2")] }) }),
  );
  const { stdout } = await run(["status", "-server", url, "-o", "ndjson"]);
  const names = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).object.host.name);
  assert.deepEqual(names, ["web1", "web2"]);
  assert.doesNotMatch((await run(["status", "-server", url])).stdout, /PERFDATA/);
  assert.match((await run(["status", "-server", url, "-o", "wide"], { columns: 20 })).stdout, /OUTPUT +PERFDATA\n/);
  const period = await run(["config", "period", "x.cue", "p", "--from=a", "--to=b", "-o", "ndjson"], {
    runAgent: async () => ({ code: 0, stdout: '[{"open": 1}, {"open": 2}]' }),
  });
  assert.equal(period.stdout, '{"open":1}\n{"open":2}\n');
});

test("with -as-plugin every failure is UNKNOWN with exit code 3 on stdout", async () => {
  const away = await run(["status", "--as-plugin", "-server", "http://127.0.0.1:1"]);
  assert.deepEqual([away.code, away.stderr], [3, ""]);
  assert.match(away.stdout, /^UNKNOWN: http:\/\/127\.0\.0\.1:1 cannot be reached: /);
  const misuse = await run(["status", "-as-plugin", "-nope"]);
  assert.deepEqual([misuse.code, misuse.stdout.slice(0, 29)], [3, "UNKNOWN: flag -nope is not kn"]);
  const url = await serve((router) =>
    router.service(QueryService, {
      listStatus: ({ unhandledOnly }) =>
        unhandledOnly
          ? { rows: [{ ...hostRow("", "web1"), status: Status.WARNING }] }
          : { summary: { counts: [{ status: Status.OK, count: 4 }] } },
    }),
  );
  const warning = await run(["status", "-as-plugin", "-server", url], { env: { REALMWATCH_OUTPUT: "json" } });
  assert.deepEqual(
    [warning.code, warning.stdout.slice(0, 53)],
    [1, "WARNING: 1 unhandled problem among 4 objects | unhand"],
  );
});

type DowntimeRequest = { author: string; endMs: number };

test("the author is the login name, or left to a server with authentication", async () => {
  for (const [authEnabled, args, author] of [
    [false, [], "ann"],
    [true, [], ""],
    [true, ["-author", "bea"], "bea"],
  ] as const) {
    const requests: DowntimeRequest[] = [];
    const url = await serve((router) =>
      router
        .service(QueryService, { getServerInfo: () => ({ realm: "fra", aggregator: false, authEnabled }) })
        .service(CommandService, {
          scheduleDowntime({ author, end }) {
            requests.push({ author, endMs: Number(end?.seconds) * 1000 });
            return { downtimeIds: ["d1"] };
          },
        }),
    );
    const add = ["downtime", "add", "web1", "-start", "22:00", "-end", "02:30", "-comment", "x", "-q"];
    const { stdout, stderr } = await run([...add, "-server", url, ...args]);
    assert.deepEqual([stdout, stderr], ["d1\n", ""]);
    // 02:30 does not exist in that night: the clocks go forward to 03:30.
    assert.deepEqual(requests, [{ author, endMs: Date.parse("2026-03-29T01:30:00Z") }]);
  }
});

test("a custom notification has the comment, and the subcommands of notify keep their flags", async () => {
  const sent: unknown[] = [];
  const url = await serve((router) =>
    router.service(QueryService, { getServerInfo: () => ({ realm: "fra" }) }).service(CommandService, {
      sendCustomNotification({ author, comment, target }) {
        sent.push([author, comment, target?.target.case]);
        return {};
      },
    }),
  );
  const { stdout } = await run(["notify", "web1", "-comment", "moved", "-server", url]);
  assert.deepEqual([stdout, sent], ["custom notification about web1\n", [["ann", "moved", "object"]]]);
  const { runs } = await run(["notify", "test", "ann", "-comment", "hello"]);
  assert.deepEqual(runs[0]?.args, ["notify-test", "-comment=hello", "ann", "-output=table"]);
});

test("a call that the server does not offer is explained", async () => {
  const url = await serve((router) =>
    router.service(QueryService, { getServerInfo: () => ({ realm: "fra", readOnly: true }) }),
  );
  assert.equal(
    (await run(["check", "web1", "-server", url])).stderr,
    `realmwatch: ${url} does not offer CommandService: it is -read-only\n`,
  );
  assert.match(
    (await run(["config", "get", "-server", url])).stderr,
    /does not offer AdminService: it has no -auth-config/,
  );
  const other = createServer((_, response) => response.writeHead(502, { "content-type": "text/html" }).end("<p>"));
  servers.push(other);
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { stderr } = await run(["status", "-server", `http://127.0.0.1:${(other.address() as AddressInfo).port}`]);
  assert.match(stderr, /is not a Realmwatch server: it answered HTTP 502\n$/);
});

const hostRow = (realm: string, name: string) => ({
  realm,
  status: Status.OK,
  stateType: StateType.HARD,
  object: { ref: { case: "host" as const, value: { name } } },
});

test("rows of a realm that is not current are last known, and colours are printed on a terminal only", async () => {
  const counts = (ok: number, critical: number) => [
    { status: Status.CRITICAL, count: critical },
    { status: Status.OK, count: ok },
  ];
  const url = await serve((router) =>
    router.service(QueryService, {
      listStatus: () => ({
        rows: [
          { ...hostRow("fra", "web1"), status: Status.CRITICAL, output: "x\u001b[2J", stale: true },
          { ...hostRow("fra", "web2"), stale: true },
          { ...hostRow("dub", "web1"), stale: false },
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
  const plain = await run(["status", "-server", url]);
  assert.match(plain.stdout, /^realm fra is unreachable, last seen 3m ago, 2 rows as of then: .*\n\nREALM +STATUS/);
  assert.match(plain.stdout, /\nfra +CRITICAL \(last known\) +web1 /);
  assert.match(plain.stdout, /\nfra +OK \(last known\) +web2\n/);
  assert.match(plain.stdout, /\ndub +OK +web1\n/);
  assert.match(
    plain.stdout,
    /\n3 objects: 1 critical, 1 of them last known, 2 ok, 1 of them last known; 1 unhandled\n$/,
  );
  assert.ok(!plain.stdout.includes("\u001b"));
  const painted = await run(["status", "-server", url], { colours: true, columns: 80 });
  assert.ok(painted.stdout.includes("\u001b[90mCRITICAL (last known)"));
  assert.ok(painted.stdout.includes("\u001b[90mOK (last known)"));
  assert.ok(painted.stdout.includes("\u001b[32mOK\u001b"));
  assert.ok(!painted.stdout.includes("\u001b[2J"));
  const json = JSON.parse((await run(["status", "-server", url, "-output", "json"])).stdout);
  assert.deepEqual([json.rows[0].stale, json.realms[0].freshness], [true, "REALM_FRESHNESS_UNREACHABLE"]);
  assert.equal(json.summary.lastKnown.unhandled, 1);
  // The freshness is that of now, so it says nothing about an earlier time.
  const past = await run(["status", "-server", url, "-at", "2h"]);
  assert.match(past.stdout, /\n3 objects: 1 critical, 2 ok; 1 unhandled\nstate at 2026-03-28 16:00:00\n$/);
  assert.doesNotMatch(past.stdout, /last known|unreachable/);
});

test("[FD57] realms whose history is missing are named, and the records of the others are printed", async () => {
  const message = "history of realm fra is being rebuilt";
  const url = await serve((router) =>
    router.service(QueryService, {
      listHistory: () => ({
        records: [{ id: "7", realm: "dub", object: hostRow("dub", "web1").object, output: "ok again" }],
        unanswered: [{ realm: "fra", code: "unavailable", message }],
      }),
    }),
  );
  const plain = await run(["history", "-server", url]);
  assert.match(plain.stdout, /dub .*web1/);
  assert.equal(plain.stderr, `realmwatch: realm fra: unavailable: ${message}\n`);
  assert.equal(plain.code, 1);
  const json = JSON.parse((await run(["history", "-server", url, "-output", "json"])).stdout);
  assert.deepEqual([json.records.length, json.unanswered[0].realm], [1, "fra"]);
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
  const { stdout } = await run(["realms", "-server", url]);
  const words = stdout.split("\n").map((line) => line.split(/ {2,}/));
  assert.deepEqual(words.slice(0, 3), [
    ["REALM", "REACHABLE", "FRESHNESS", "LAST SEEN", "ROWS", "VERSION", "DETAIL", "DESCRIPTION"],
    ["dub", "yes", "current", "12/12", "2.1.0"],
    ["fra", "yes", "BEHIND", "398/412", "2.0.0", "SVC_STATE is full"],
  ]);
  const [, fra] = JSON.parse((await run(["realms", "-server", url, "-output", "json"])).stdout);
  assert.deepEqual(
    [fra.freshness, fra.behindSince, fra.rowsHeld, fra.rowsExpected, fra.detail, fra.version],
    ["REALM_FRESHNESS_BEHIND", "2026-03-28T16:57:00Z", 398, 412, "SVC_STATE is full", "2.0.0"],
  );
});

/** Serves the configuration of a realm through an aggregator. */
async function serveConfiguration() {
  const applied: string[] = [];
  const url = await serve((router) =>
    router
      .service(QueryService, {
        getServerInfo: () => ({ aggregator: true }),
        listStatus: () => ({
          realms: [{ name: "fra" }],
          rows: [
            {
              object: { ref: { case: "host", value: { name: "db1" } } },
              comments: [{ id: "1", author: "bea", text: "old", at: { seconds: 1n } }],
            },
          ],
        }),
      })
      .service(RealmAdminService, {
        getConfig: ({ realm }) => ({ cue: `// of ${realm}\nhosts: {}\n` }),
        validateConfig({ request }) {
          if (request?.cue.includes("wrong") !== true) return {};
          const diagnostics = [{ message: "is wrong", file: "config.cue", line: 2, column: 7 }];
          const details = [{ desc: ConfigDiagnosticsSchema, value: { diagnostics } }];
          throw new ConnectError("rejected", Code.InvalidArgument, undefined, details);
        },
        applyConfig({ request }) {
          applied.push(request?.cue ?? "");
          return {};
        },
      }),
  );
  return { url, applied };
}

test("a document is applied after its changes were printed and the user confirmed", async () => {
  const { url, applied } = await serveConfiguration();
  const path = join(folder, "next.cue");
  writeFileSync(path, "hosts: {}\n");
  const apply = ["config", "apply", path, "-server", url, "-target-realm", "fra"];
  const questions: string[] = [];
  const confirm = (answer: boolean) => async (question: string) => {
    questions.push(question);
    return answer;
  };
  const declined = await run(apply, { confirm: confirm(false) });
  assert.deepEqual([declined.code, declined.stdout], [1, ""]);
  assert.equal(declined.stderr, "-1 service\nrealmwatch: nothing was applied\n");
  assert.deepEqual(declined.runs[0]?.args, ["blast-radius", "-realm=fra", path]);
  const input = JSON.parse(declined.runs[0]?.input ?? "{}");
  assert.equal(input.cue, "// of fra\nhosts: {}\n");
  assert.deepEqual(input.attached.db1.comments[0].text, "old");
  assert.deepEqual(applied, []);

  const agreed = await run(apply, { confirm: confirm(true) });
  assert.deepEqual([agreed.code, agreed.stdout], [0, `${url} now runs on ${path}\n`]);
  assert.deepEqual(applied, ["hosts: {}\n"]);
  assert.deepEqual(questions, Array(2).fill(`Apply ${path} to ${url}?`));

  writeFileSync(path, "hosts: {}\nhosts: wrong: 1\n");
  const rejected = await run([...apply, "-yes"]);
  assert.deepEqual([rejected.code, rejected.stderr], [1, `${path}:2:7: is wrong\n`]);
  const unread = await run(["config", "diff", join(folder, "none.cue"), "-server", url, "-target-realm", "fra"]);
  assert.match(unread.stderr, /none\.cue cannot be read: no such file or directory\n$/);
});

test("differences are printed in the format of diff -u", async () => {
  const { url } = await serveConfiguration();
  const path = join(folder, "other.cue");
  writeFileSync(path, "// of fra\nhosts: web1: {}\n");
  const { stdout } = await run(["config", "diff", path, "-server", url, "-target-realm", "fra"]);
  assert.equal(stdout, `--- ${url}\n+++ ${path}\n@@ -1,2 +1,2 @@\n // of fra\n-hosts: {}\n+hosts: web1: {}\n`);
  const json = await run(["config", "diff", path, "-server", url, "-target-realm", "fra", "-output", "json"]);
  assert.equal(JSON.parse(json.stdout).differs, true);
});

test("the configuration of an agent is fetched from its AdminService", async () => {
  const url = await serve((router) =>
    router
      .service(QueryService, { getServerInfo: () => ({ realm: "fra" }) })
      .service(AdminService, { getConfig: () => ({ cue: "hosts: {}\n" }) }),
  );
  assert.equal((await run(["config", "get", "-server", url, "-target-realm=fra"])).stdout, "hosts: {}\n");
});
