import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ipv6SkipReason } from "@realmwatch/shared/platform/testing/ipv6.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { EchoProber } from "../../platform/icmp/echo-prober.ts";
import type { EchoRoundResult } from "../../platform/icmp/echo-protocol.ts";
import type { ProgramOutcome } from "../../platform/programs/program-runner.ts";
import type { CheckDependencies } from "../check-type.ts";
import { pingSkipReason } from "../ping.fixture.ts";
import { checkEnvironment, openTestDependencies, servicePlan } from "../plan.fixture.ts";
import { type CheckRun, runCheck } from "../run-check.ts";

const dependencies = openTestDependencies();
after(() => dependencies.close());

/** Runs the check with a prober that returns `result`. */
function probed(result: EchoRoundResult, more: Partial<CheckDependencies> = {}): Promise<CheckRun> {
  const echoes = { probe: async () => result, close: async () => {} };
  const check = servicePlan({ type: "icmp", host: "192.0.2.1" });
  return runCheck(check, checkEnvironment(), { ...dependencies, echoes, ...more });
}

/** Runs the check without permission for echoes and with a `ping` that ends as given. */
function icmpWith(ended: Readonly<Record<string, unknown>>): Promise<CheckRun> {
  const exited = {
    kind: "exited",
    code: 0,
    stdout: "",
    stderr: "",
    truncated: false,
    elapsedMs: 1_000,
    ...ended,
  } as ProgramOutcome;
  const programs = { run: async () => exited, close: async () => {} };
  return probed({ kind: "unavailable" }, { programs });
}
const summary = (received: number, rest = ""): string =>
  `5 packets transmitted, ${received} received, ${100 - received * 20}% packet loss, time 801ms\n${rest}`;

const never: EchoProber = { probe: async () => ({ kind: "unavailable" }), close: async () => {} };

for (const [what, host, own] of [
  ["127.0.0.1", "127.0.0.1", dependencies],
  ["::1", "::1", dependencies],
  ["a name", "localhost", dependencies],
  ["a name, by ping", "localhost", { ...dependencies, echoes: never }],
] as const)
  test(`[NC1] icmp to ${what} is ok`, { skip: pingSkipReason || (host === "::1" && ipv6SkipReason) }, async () => {
    const run = await runCheck(servicePlan({ type: "icmp", host }), checkEnvironment(), own);
    assert.equal(run.status, "ok", run.output);
    assert.match(run.output, /: 5 of 5 echoes came back, [\d.]+ ms on average$/);
    assert.deepEqual(
      run.perfdata.map((p) => [p.label, p.uom]),
      [
        ["rta", "s"],
        ["pl", "%"],
      ],
    );
  });

for (const [received, refusal, status, output] of [
  [5, "", "ok", "192.0.2.1: 5 of 5 echoes came back, 1.5 ms on average"],
  [4, "", "warning", "192.0.2.1: 4 of 5 echoes came back, 1.5 ms on average"],
  [1, "host unreachable", "warning", "192.0.2.1: 1 of 5 echoes came back, 1.5 ms on average: host unreachable"],
  [0, "", "critical", "192.0.2.1: 0 of 5 echoes came back"],
  [0, "ENETUNREACH", "critical", "192.0.2.1: 0 of 5 echoes came back: network unreachable"],
] as const)
  test(`[NC1] icmp with ${received} of 5 echoes${refusal && ` and ${refusal}`} is ${status}`, async () => {
    const averageMs = received === 0 ? undefined : 1.5;
    const run = await probed({ kind: "answered", sent: 5, received, averageMs, refusal });
    const values = received === 0 ? [100] : [0.0015, 100 - received * 20];
    assert.deepEqual([run.status, run.output, run.perfdata.map((p) => p.value)], [status, output, values]);
  });

test("[NC1] icmp by ping with some echoes lost is warning", async () => {
  const run = await icmpWith({ stdout: summary(3, "rtt min/avg/max/mdev = 0.036/1.500/2.053/0.006 ms\n") });
  assert.deepEqual([run.status, run.perfdata.map((p) => p.value)], ["warning", [0.0015, 40]]);
  assert.equal(run.output, "192.0.2.1: 3 of 5 echoes came back, 1.5 ms on average");
});

test("[NC1] icmp by ping keeps a short timeout", { skip: pingSkipReason }, async () => {
  for (const timeoutMs of [400, 700]) {
    const plan = servicePlan({ type: "icmp", host: "127.0.0.1" }, timeoutMs);
    // On a busy machine ping alone may take longer to start.
    const run = await until(`ping ends within ${timeoutMs} ms`, async () => {
      const ended = await runCheck(plan, checkEnvironment(), { ...dependencies, echoes: never });
      assert.equal(ended.status, "ok", ended.output);
      return ended;
    });
    assert.deepEqual(
      run.perfdata.map((p) => p.label),
      ["rta", "pl"],
    );
  }
});

test("[NC1] icmp by ping reports a router's error", async () => {
  const refused = "From 192.0.2.254 icmp_seq=1 Destination Host Unreachable\n";
  const { status, output } = await icmpWith({ code: 1, stdout: `${refused}\n${summary(0)}` });
  assert.deepEqual([status, output], ["critical", "192.0.2.1: 0 of 5 echoes came back: destination host unreachable"]);
});

test("icmp parses the output of busybox ping", async () => {
  const stdout = "5 packets transmitted, 5 packets received, 0% packet loss\nround-trip min/avg/max = 0.1/0.2/0.3 ms\n";
  assert.deepEqual(
    (await icmpWith({ stdout })).perfdata.map((p) => p.value),
    [0.0002, 0],
  );
});

for (const [what, ended, status, output] of [
  ["all echoes lost", { code: 1, stdout: summary(0) }, "critical", /^192\.0\.2\.1: 0 of 5 echoes came back$/],
  [
    "an unreachable network",
    { code: 2, stderr: "ping: connect: Network is unreachable" },
    "critical",
    /Network is unreachable$/,
  ],
  [
    "no permission",
    { code: 2, stderr: "ping: socket: Operation not permitted" },
    "unknown",
    /Operation not permitted$/,
  ],
  ["no ping", { kind: "not_started", why: "missing", code: "ENOENT" }, "unknown", /^cannot run ping: there is no such/],
  ["a ping that hangs", { kind: "timed_out" }, "critical", /^icmp check timed out after 10s$/],
] as const)
  test(`[NC1] icmp with ${what} is ${status}`, async () => {
    const run = await icmpWith(ended);
    assert.deepEqual([run.status, output.test(run.output)], [status, true], run.output);
  });
