import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeServerCertificate } from "@realmwatch/agent/checks/connect/certificates.fixture";
import { pingSkipReason } from "@realmwatch/agent/checks/ping.fixture";
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { type CheckRun, runCheck } from "@realmwatch/agent/checks/run-check";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { ipv6SkipReason } from "@realmwatch/shared/platform/testing/ipv6.fixture";
import { startNamed } from "./named.ts";
import { startNginx } from "./nginx.ts";
import { lacks, type ServerProcess } from "./server-process.ts";
import { community, ownTree, type SnmpAgent, startSnmpAgent } from "./snmp-agent.ts";

/** Folder of the monitoring-plugins on Debian and most other systems. */
const plugins = "/usr/lib/nagios/plugins";
const folder = mkdtempSync(join(tmpdir(), "realmwatch-plugins-"));
const dependencies = openTestDependencies();
const lacking = lacks("named") || lacks("nginx") || lacks("snmpd");
let [named, nginx]: (ServerProcess | undefined)[] = [];
let snmpd: SnmpAgent | undefined;
const talkers: Server[] = [];

/** Servers of line-based protocols: a greeting, and the reply to each line. */
const greetings = {
  smtp: ["220 mail ESMTP\r\n", (line: string) => (/^QUIT/i.test(line) ? "221 bye\r\n" : "250 mail\r\n")],
  imap: ["* OK IMAP4rev1 ready\r\n", () => "a1 OK\r\n* BYE\r\n"],
  pop: ["+OK ready\r\n", () => "+OK\r\n"],
  ftp: ["220 ftp; a=1\r\n", () => "221 bye\r\n"],
  ssh: ["SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", () => ""],
} satisfies Record<string, [greeting: string, answer: (line: string) => string]>;
const ports: Partial<Record<keyof typeof greetings, string>> = {};
/** Port without a listener, TCP or UDP, which no other test gets meanwhile. */
const closedPort = await freePort();

before(async () => {
  if (lacking !== false) return;
  writeFileSync(join(folder, "some.log"), "one\ntwo error\n");
  for (const [name, [greeting, answer]] of Object.entries(greetings)) {
    const server = createServer((socket) => {
      socket.on("error", () => {}).on("data", (line) => socket.write(answer(String(line))));
      socket.write(greeting);
    }).listen(0, "127.0.0.1");
    await new Promise<void>((done) => server.once("listening", done));
    ports[name as keyof typeof greetings] = String((server.address() as AddressInfo).port);
    talkers.push(server);
  }
  [named, nginx, snmpd] = await Promise.all([
    startNamed(),
    startNginx(makeServerCertificate(30, "DNS:localhost,IP:127.0.0.2")),
    startSnmpAgent(),
  ]);
});
after(async () => {
  await dependencies.close();
  for (const server of talkers) server.close();
  await Promise.all([named?.stop(), nginx?.stop(), snmpd?.stop()]);
  rmSync(folder, { recursive: true });
});

/** Runs a plugin with the agent, through a shell that stores a copy of its output. */
async function watch(name: string, args: readonly string[]): Promise<{ run: CheckRun; printed: string }> {
  const copy = join(folder, "printed");
  const keep = '"$@" > "$0"; code=$?; cat "$0"; exit $code';
  const spec = { type: "legacy", path: "/bin/sh", args: ["-c", keep, copy, `${plugins}/${name}`, ...args] } as const;
  const run = await runCheck(servicePlan(spec, 20_000), checkEnvironment(), dependencies);
  return { run, printed: readFileSync(copy, "utf8") };
}

/**
 * Second, simple parser of the same output, sufficient for these plugins: performance data follows the first `|` of the
 * first or the last line, and labels contain no quotes.
 */
function readPlainly(printed: string) {
  const lines = printed.trim().split("\n");
  const [output = "", ...behind] = (lines[0] as string).split("|");
  const data = [behind.join("|"), lines.length > 1 ? ((lines.at(-1) as string).split("|")[1] ?? "") : ""].join(" ");
  const points = [...data.matchAll(/(?:'([^']+)'|([^\s=]+))=([\d.eE+-]+)([a-zA-Z%]*)((?:;[^\s;]*)*)/g)].map((found) => {
    const [warn = "", crit = "", min = "", max = ""] = (found[5] ?? "").slice(1).replaceAll(":~", ":").split(";");
    const number = (text: string): number | undefined => (text === "" ? undefined : Number(text));
    const label = found[1] ?? found[2];
    return { label, value: Number(found[3]), uom: found[4], warn, crit, min: number(min), max: number(max) };
  });
  return { output: output.trim(), points };
}

const at = (port: string | number | undefined): string => String(port);
const snmp = (...more: string[]): string[] => ["-H", "127.0.0.1", "-p", at(snmpd?.port), "-C", community, ...more];
const own = (tail: string): string => `.${ownTree}.${tail}`;
const web = (...more: string[]): string[] => ["-p", at(nginx?.port), ...more];

type Row = [name: string, args: () => string[], status: RegExp | CheckRun["status"], points: number, output?: RegExp];
const rows: Row[] = [
  ["check_apt", () => ["-n"], /ok|warning|critical|unknown/, -1],
  [
    "check_cluster",
    () => ["-s", "-l", "x", "-d", "0,1,2", "-w", "0", "-c", "1"],
    "critical",
    0,
    /^CLUSTER CRITICAL: x: 1 ok, /,
  ],
  ["check_curl", () => ["-I", "127.0.0.1", ...web("-u", "/hello", "-w", "5", "-c", "8")], "ok", 2],
  ["check_curl", () => ["-I", "127.0.0.1", ...web("-u", "/gone")], "warning", 2],
  [
    "check_dig",
    () => ["-H", "127.0.0.1", "-p", at(named?.port), "-l", "four.test", "-w", "8", "-c", "9"],
    "ok",
    1,
    /192\.0\.2\.7\)$/,
  ],
  ["check_dig", () => ["-H", "127.0.0.1", "-p", at(named?.port), "-l", "gone.test"], "critical", 1],
  [
    "check_disk",
    () => ["-w", "10%", "-c", "5%", "-W", "1%", "-K", "1%", "-p", "/"],
    /ok|warning|critical/,
    1,
    /^DISK /,
  ],
  ["check_disk", () => ["-w", "10", "-c", "5", "-e"], /ok|warning|critical/, -1],
  ["check_disk", () => ["-w", "10%", "-c", "5%", "-p", "/no/such/place"], "critical", 0],
  ["check_dns", () => ["-H", "no.such.name.invalid", "-s", "127.0.0.1", "-t", "3"], "critical", 0],
  ["check_dns", () => ["-H", "localhost", "-n", "-t", "5", "-w", "8", "-c", "9"], /ok|critical/, -1],
  ["check_dummy", () => ["3"], "unknown", 0, /^UNKNOWN$/],
  ["check_dummy", () => ["1", "a | 'x y'=1.5ms;2:3;@4:5;0;10 y=-1e3B;~:5"], "warning", 2],
  ["check_file_age", () => ["-f", join(folder, "some.log"), "-w", "6000", "-c", "9000", "-W", "1", "-C", "0"], "ok", 2],
  ["check_file_age", () => ["-f", join(folder, "none")], "critical", 0],
  ["check_ftp", () => ["-H", "127.0.0.1", "-p", at(ports.ftp)], "ok", 1, /\[220 ftp; a=1\]$/],
  ["check_host", () => ["-H", "127.0.0.1"], /ok|unknown|critical/, -1],
  ["check_http", () => ["-I", "127.0.0.2", ...web("-S", "-E", "-u", "/hello")], "ok", 7],
  ["check_http", () => ["-I", "::1", ...web("-E", "-u", "/broken", "-w", "5", "-c", "8")], "critical", 6],
  ["check_http", () => ["-H", "localhost", "-p", at(closedPort)], "critical", 0, /refused|Unable/i],
  ["check_icmp", () => ["-H", "127.0.0.1"], /ok|unknown|critical/, -1],
  ["check_icmp", () => ["-H", "::1"], /ok|unknown|critical/, -1],
  ["check_imap", () => ["-H", "127.0.0.1", "-p", at(ports.imap)], "ok", 1, /\[\* OK IMAP4rev1 ready\]$/],
  ["check_ldap", () => ["-H", "127.0.0.1", "-p", at(closedPort), "-b", "dc=x"], "critical", 0],
  ["check_load", () => ["-r", "-w", "1500", "-c", "3000"], "ok", 6],
  ["check_load", () => ["-w", "1000", "-c", "2000", "-n", "2"], "ok", 3],
  [
    "check_log",
    () => ["-F", join(folder, "some.log"), "-O", join(folder, "old.log"), "-q", "error"],
    "ok",
    0,
    /^Log check data initialized\.\.\.$/,
  ],
  ["check_mailq", () => ["-w", "1", "-c", "5"], /ok|warning|critical|unknown/, -1],
  ["check_mrtg", () => ["-F", join(folder, "none"), "-a", "MAX", "-v", "1", "-w", "1", "-c", "2"], "unknown", 0],
  ["check_mysql", () => ["-H", "127.0.0.1", "-P", at(closedPort)], "critical", 0, /^Can't connect to/],
  ["check_nagios", () => ["-F", join(folder, "none"), "-e", "5", "-C", "x"], "critical", 0],
  ["check_ntp_peer", () => ["-H", "127.0.0.1", "-p", at(closedPort)], "critical", 0, /^NTP CRITICAL: No response/],
  [
    "check_pgsql",
    () => ["-H", "127.0.0.1", "-P", at(closedPort)],
    "critical",
    0,
    /^CRITICAL - no connection to 'template1'/,
  ],
  ["check_ping", () => ["-H", "::1", "-6", "-w", "3000,80%", "-c", "5000,90%", "-p", "1"], "ok", 2, /^PING OK/],
  ["check_ping", () => ["-H", "no.such.name.invalid", "-w", "3000,80%", "-c", "5000,90%", "-p", "1"], "unknown", 0],
  ["check_pop", () => ["-H", "127.0.0.1", "-p", at(ports.pop)], "ok", 1],
  ["check_procs", () => ["-w", "99998", "-c", "99999", "--metric=CPU"], /ok|warning|critical/, 3],
  ["check_procs", () => ["-w", "99998", "-c", "99999", "-vv", "-p", String(process.pid)], "ok", 1, /^CMD: /],
  ["check_procs", () => ["-c", "1:", "-C", "no-such-program"], "critical", 1],
  ["check_real", () => ["-H", "127.0.0.1", "-p", at(closedPort)], "critical", 0],
  ["check_smtp", () => ["-H", "127.0.0.1", "-p", at(ports.smtp)], "ok", 1, /^SMTP OK/],
  [
    "check_snmp",
    () => snmp("-P", "2c", "-o", own("1.0"), "-w", "~:-50", "-c", "@1:2", "-l", "some thing"),
    "warning",
    1,
  ],
  ["check_snmp", () => snmp("-P", "2c", "-o", [own("4.0"), own("5.0"), own("6.0"), own("10.0")].join()), "ok", -1],
  ["check_snmp", () => snmp("-P", "2c", "-o", own("99.0")), "ok", 0, /No Such Instance currently exists at this OID$/],
  ["check_ssh", () => ["-p", at(ports.ssh), "127.0.0.1"], "ok", 1, /^SSH OK - OpenSSH_9\.2p1/],
  ["check_ssh", () => ["-p", at(closedPort), "127.0.0.1"], "critical", 0],
  ["check_swap", () => ["-w", "20%", "-c", "10%", "-n", "ok"], /ok|warning|critical/, 1],
  ["check_tcp", () => ["-H", "::1", "-p", at(nginx?.port), "-w", "5", "-c", "8"], "ok", 1],
  ["check_tcp", () => ["-H", "127.0.0.1", "-p", at(ports.smtp), "-e", "wrong", "-M", "crit"], "critical", 1],
  ["check_time", () => ["-H", "127.0.0.1", "-p", at(closedPort)], "unknown", 0],
  ["check_udp", () => ["-H", "127.0.0.1", "-p", at(closedPort), "-s", "x", "-e", "y", "-t", "2"], "critical", 0],
  ["check_users", () => ["-w", "1000", "-c", "2000"], "ok", 1],
  ["check_ups", () => ["-H", "127.0.0.1", "-p", at(closedPort), "-u", "x"], "critical", 0],
  ["check_rta_multi", () => ["127.0.0.1", "127.0.0.2"], /ok|unknown|critical/, -1],
  ["negate", () => [`${plugins}/check_dummy`, "0", "x | a=1"], "critical", 1],
  ["urlize", () => ["http://x/", `${plugins}/check_dummy`, "1", "x|a=1s"], "warning", 1],
];

for (const row of rows) {
  const [name, args, status, points, output] = row;
  test(`[PO3] the output of ${name} is parsed, ${at(1 + rows.indexOf(row))} of ${rows.length}`, {
    skip:
      missing(name) ||
      (args().includes("::1") && ipv6SkipReason) ||
      (name === "check_ping" && status === "ok" && pingSkipReason),
  }, async () => {
    const { run, printed } = await watch(name, args());
    const plain = readPlainly(printed);
    assert.match(run.status, typeof status === "string" ? new RegExp(`^${status}$`) : status, printed);
    assert.equal(run.output, plain.output || "(No output returned from plugin)");
    assert.deepEqual(run.perfdata, plain.points, printed);
    if (points >= 0) assert.equal(run.perfdata.length, points, printed);
    if (output !== undefined) assert.match(run.output, output);
    assert.doesNotMatch(run.output, /truncated|exit code|killed/);
  });
}

function missing(name: string): string | false {
  if (lacking) return lacking;
  if (!existsSync(`${plugins}/${name}`)) return `${plugins}/${name} is missing: install monitoring-plugins`;
  // Plugins with file capabilities cannot be started where these are not permitted.
  const isPermitted = spawnSync(`${plugins}/${name}`, ["--version"]).error === undefined;
  return isPermitted ? false : `${plugins}/${name} may not be started here`;
}
