import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { after, before, test } from "node:test";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { pingSkipReason } from "../ping.fixture.ts";
import { checkEnvironment, openTestDependencies, servicePlan } from "../plan.fixture.ts";
import { type CheckRun, runCheck } from "../run-check.ts";

/** Folder of the monitoring-plugins on Debian and most other systems. */
const folder = "/usr/lib/nagios/plugins";
const dependencies = openTestDependencies();
const tcp = createServer((socket) => socket.on("error", () => {}).end());
const http = createHttpServer((_, answer) => answer.end("hello"));
const portOf = (server: Pick<Server, "address">): string => String((server.address() as AddressInfo).port);

before(async () => {
  for (const server of [tcp, http]) await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
after(async () => {
  tcp.close();
  http.close();
  await dependencies.close();
});

const check = (name: string, args: readonly string[]): Promise<CheckRun> =>
  runCheck(servicePlan({ type: "legacy", path: `${folder}/${name}`, args }), checkEnvironment(), dependencies);

/** Performance data point without its value: `label=uom;warn;crit;min;max`. */
const shape = ({ label, uom, warn, crit, min, max }: PerfPoint): string =>
  `${label}=${uom};${warn};${crit};${min ?? ""};${max ?? ""}`;

const rows: [name: string, args: () => string[], output: RegExp, points: string[]][] = [
  [
    "check_load",
    () => ["-w", "1000,1001,1002", "-c", "2000,2001,2002"],
    /^LOAD OK - (?:total )?load average: /,
    ["load1=;1000.000;2000.000;0;", "load5=;1001.000;2001.000;0;", "load15=;1002.000;2002.000;0;"],
  ],
  ["check_procs", () => ["-w", "1:99998", "-c", "1:99999"], /^PROCS OK: \d+ process/, ["procs=;1:99998;1:99999;0;"]],
  ["check_users", () => ["-w", "1000", "-c", "2000"], /^USERS OK - /, ["users=;1000;2000;0;"]],
  [
    "check_ping",
    () => ["-H", "127.0.0.1", "-w", "3000,80%", "-c", "5000,90%", "-p", "1"],
    /^PING OK - Packet loss = 0%, RTA = /,
    ["rta=ms;3000.000000;5000.000000;0;", "pl=%;80;90;0;"],
  ],
  [
    "check_tcp",
    () => ["-H", "127.0.0.1", "-p", portOf(tcp), "-w", "5", "-c", "8"],
    /^TCP OK - [\d.]+ second response time on 127\.0\.0\.1 port \d+$/,
    ["time=s;5.000000;8.000000;0;10"],
  ],
  [
    "check_http",
    () => ["-I", "127.0.0.1", "-p", portOf(http), "-w", "5", "-c", "8"],
    /^HTTP OK: HTTP\/1\.1 200 OK - \d+ bytes in [\d.]+ second response time$/,
    ["time=s;5.000000;8.000000;0;10", "size=B;;;0;"],
  ],
  ["check_dummy", () => ["0", "fine"], /^OK: fine$/, []],
];
for (const [name, args, output, points] of rows)
  test(`[PO3] the output of ${name} is parsed`, {
    skip: missing(name) || (name === "check_ping" && pingSkipReason),
  }, async () => {
    const run = await check(name, args());
    assert.equal(run.status, "ok", run.output);
    assert.match(run.output, output);
    assert.deepEqual(run.perfdata.map(shape), points);
    assert.ok(run.perfdata.every(({ value }) => value !== undefined && value >= 0));
  });

test("[PO3] check_disk has performance data for each file system", { skip: missing("check_disk") }, async () => {
  const run = await check("check_disk", ["-w", "0", "-c", "0", "-p", "/", "-p", "/tmp"]);
  assert.match(run.output, /^DISK \w+/);
  assert.ok(run.perfdata.length >= 1 && run.perfdata.every(({ label }) => label.startsWith("/")));
  for (const { uom, value = -1, min, max = -1 } of run.perfdata) {
    assert.deepEqual([/^(?:B|MB|MiB)$/.test(uom), min], [true, 0]);
    assert.ok(value >= 0 && value <= max);
  }
});

for (const [code, status] of ["ok", "warning", "critical", "unknown"].entries())
  test(`[PO1] check_dummy ${code} is ${status}`, { skip: missing("check_dummy") }, async () => {
    const run = await check("check_dummy", [String(code), "a text | with=1s;2;3"]);
    assert.deepEqual([run.status, run.perfdata.map(shape)], [status, ["with=s;2;3;;"]]);
  });

test("the status of a plugin for an unreachable target is kept", { skip: missing("check_tcp") }, async () => {
  const run = await check("check_tcp", ["-H", "127.0.0.1", "-p", String(await freePort())]);
  assert.deepEqual([run.status, run.perfdata], ["critical", []]);
  assert.match(run.output, /refused/i);
});

test("a plugin with invalid arguments is unknown and prints its usage", { skip: missing("check_http") }, async () => {
  const run = await check("check_http", ["--no-such-option"]);
  assert.equal(run.status, "unknown");
  assert.notEqual(run.longOutput, "");
});

function missing(name: string): string | false {
  return existsSync(`${folder}/${name}`) ? false : `${folder}/${name} is missing: install monitoring-plugins`;
}
