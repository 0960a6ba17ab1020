import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { cliHostRow, openCliServers, runTestCli } from "./run-cli.fixture.ts";

const { listen, serve } = openCliServers(after);

const misuses: [args: string[], stderr: RegExp][] = [
  [[], /^realmwatch: a command is required; realmwatch -help lists them\nUsage: realmwatch .*\n$/],
  [
    ["downtime"],
    /^realmwatch: a command is required; realmwatch downtime -help lists them\nUsage: realmwatch downtime .*\n$/,
  ],
  [["stat"], /^realmwatch: there is no command "stat"; did you mean status\?\n$/],
  [["downtime", "xyzzy"], /^realmwatch: there is no command "xyzzy"; realmwatch downtime -help lists the commands\n$/],
  [
    ["ack", "web1", "-comment", "x", "-nope=hidden"],
    /^realmwatch: flag -nope is not known; realmwatch ack -help lists/,
  ],
  [["ack", "web1", "-tokn", "hidden", "-comment", "x"], /^realmwatch: flag -tokn is not known/],
  [["ack", "web1"], /^realmwatch: flag -comment is required\nUsage: realmwatch ack .*\n$/],
  [["ack", "web1", "-comment"], /^realmwatch: flag -comment needs a value\n$/],
  [["ack", "remove", "web1", "-comment", "x"], /^realmwatch: flag -comment is not known; realmwatch ack remove -help/],
  [["ack", "-comment", "x"], /^realmwatch: a target is required/],
  [["ack", "web1", "-comment", "x", "-expires", "soon"], /^realmwatch: -expires: "soon" is not a time: write /],
  [["status", "a", "b"], /^realmwatch: there are too many arguments; realmwatch status -help/],
  [["toggle", "object", "notifications"], /^realmwatch: ON\|OFF is missing; realmwatch toggle object -help/],
  [["toggle", "program", "notifications", "yes"], /^realmwatch: "yes" is neither on nor off\n$/],
  [["comment", "rm"], /^realmwatch: ID is missing.*\nUsage: realmwatch comment rm ID.*\n$/],
  [["import", "icinga2"], /is required\nUsage: realmwatch import icinga2 \[DIR_OR_FILE\] -out FILE \[flags\]\n$/],
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
  test(`wrong usage exits with 2 and prints one line, after it the usage where words are missing: ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await runTestCli(args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr.replace(/\nUsage: realmwatch [^\n]*\n$/, "\n"), /\n.|hidden/);
  });

test("help and version are printed", async () => {
  const help = await runTestCli(["-help"]);
  assert.deepEqual([help.code, help.stderr], [0, ""]);
  assert.match(help.stdout, /^Usage: realmwatch COMMAND \[flags\]\n/);
  assert.match((await runTestCli(["downtime", "add", "--help"])).stdout, /\n {2}-triggered-by ID /);
  assert.match((await runTestCli(["-version"])).stdout, /^realmwatch \S+ \(commit \S+, node v\d/);
});

test("help prints the help of the program, a group or a command", async () => {
  const program = await runTestCli(["help"]);
  assert.deepEqual([program.code, program.stdout], [0, (await runTestCli(["-help"])).stdout]);
  assert.match((await runTestCli(["help", "downtime"])).stdout, /^Usage: realmwatch downtime COMMAND/);
  assert.match((await runTestCli(["help", "downtime"])).stdout, /\n {2}help +Print the help of a command\.\n/);
  const route = (await runTestCli(["help", "notify", "route"])).stdout.replace(/\s+/g, " ");
  assert.match(route, / Show who would be notified about an object and when, and why others would not be\. /);
  const validate = (await runTestCli(["help", "config", "validate"])).stdout;
  assert.match(validate, /\n {2}-v +Also print how long each step of loading the document takes\.\n/);
  assert.match((await runTestCli(["downtime", "help", "add"])).stdout, /\n {2}-triggered-by ID /);
  assert.match((await runTestCli(["help", "downtime", "add"])).stdout, /\n {2}-triggered-by ID /);
  const unknown = await runTestCli(["help", "xyzzy"]);
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [2, 'realmwatch: there is no command "xyzzy"; realmwatch help lists the commands\n'],
  );
});

test("a list is printed as one JSON value per line, and wide tables have more columns", async () => {
  const url = await serve((router) =>
    router.service(QueryService, { listStatus: () => ({ rows: [cliHostRow("", "web1"), cliHostRow("", "web2")] }) }),
  );
  const { stdout } = await runTestCli(["status", "-server", url, "-o", "ndjson"]);
  const names = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).object.host.name);
  assert.deepEqual(names, ["web1", "web2"]);
  assert.doesNotMatch((await runTestCli(["status", "-server", url])).stdout, /PERFDATA/);
  assert.match(
    (await runTestCli(["status", "-server", url, "-o", "wide"], { terminal: () => ({ columns: 20, rows: 40 }) }))
      .stdout,
    /OUTPUT +PERFDATA\n/,
  );
  const period = await runTestCli(["config", "period", "x.cue", "p", "--from=a", "--to=b", "-o", "ndjson"], {
    runAgent: async () => ({ code: 0, stdout: '[{"open": 1}, {"open": 2}]' }),
  });
  assert.equal(period.stdout, '{"open":1}\n{"open":2}\n');
});

test("with -as-plugin every failure is UNKNOWN with exit code 3 on stdout", async () => {
  const away = await runTestCli(["status", "--as-plugin", "-server", "http://127.0.0.1:1"]);
  assert.deepEqual([away.code, away.stderr], [3, ""]);
  assert.match(away.stdout, /^UNKNOWN: http:\/\/127\.0\.0\.1:1 cannot be reached: /);
  const misuse = await runTestCli(["status", "-as-plugin", "-nope"]);
  assert.deepEqual([misuse.code, misuse.stdout.slice(0, 29)], [3, "UNKNOWN: flag -nope is not kn"]);
  const url = await serve((router) =>
    router.service(QueryService, {
      listStatus: ({ unhandledOnly }) =>
        unhandledOnly
          ? { rows: [{ ...cliHostRow("", "web1"), status: Status.WARNING }] }
          : { summary: { counts: [{ status: Status.OK, count: 4 }] } },
    }),
  );
  const warning = await runTestCli(["status", "-as-plugin", "-server", url], { env: { REALMWATCH_OUTPUT: "json" } });
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
    const { stdout, stderr } = await runTestCli([...add, "-server", url, ...args]);
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
  const { stdout } = await runTestCli(["notify", "web1", "-comment", "moved", "-server", url]);
  assert.deepEqual([stdout, sent], ["custom notification about web1\n", [["ann", "moved", "object"]]]);
  const { runs } = await runTestCli(["notify", "test", "ann", "-comment", "hello"]);
  assert.deepEqual(runs[0]?.args, ["notify-test", "-comment=hello", "ann", "-output=table"]);
});

test("a call that the server does not offer is explained", async () => {
  const url = await serve((router) =>
    router.service(QueryService, { getServerInfo: () => ({ realm: "fra", readOnly: true }) }),
  );
  assert.equal(
    (await runTestCli(["check", "web1", "-server", url])).stderr,
    `realmwatch: ${url} does not offer CommandService: it is -read-only\n`,
  );
  assert.match(
    (await runTestCli(["config", "get", "-server", url])).stderr,
    /does not offer AdminService: it has no -auth-config/,
  );
  const other = await listen(
    createServer((_, response) => response.writeHead(502, { "content-type": "text/html" }).end("<p>")),
  );
  const { stderr } = await runTestCli(["status", "-server", other]);
  assert.match(stderr, /is not a Realmwatch server: it answered HTTP 502\n$/);
});
