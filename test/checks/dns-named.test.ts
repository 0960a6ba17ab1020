import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { type CheckRun, runCheck } from "@realmwatch/agent/checks/run-check";
import { ipv6SkipReason } from "@realmwatch/shared/platform/testing/ipv6.fixture";
import { startNamed } from "./named.ts";
import { lacks, type ServerProcess } from "./server-process.ts";

const skip = lacks("named");
const dependencies = openTestDependencies();
let named: ServerProcess | undefined;
before(async () => {
  if (skip === false) named = await startNamed();
});
after(async () => {
  await dependencies.close();
  await named?.stop();
});

const dns = (name: string, host = "127.0.0.1"): Promise<CheckRun> =>
  runCheck(servicePlan({ type: "dns", host, port: named?.port ?? 0, name }), checkEnvironment(), dependencies);

for (const [name, status, expected, host] of [
  ["four.test", "ok", / is 192\.0\.2\.7 at 127\.0\.0\.1:\d+ in /],
  ["six.test", "ok", / is 2001:db8::7 at /],
  ["both.test", "ok", / is 192\.0\.2\.7, 2001:db8::7 at /],
  ["BOTH.test.", "ok", / is 192\.0\.2\.7, 2001:db8::7 at /],
  ["alias.test", "ok", / is 192\.0\.2\.7, 2001:db8::7 at /],
  ["four.test", "ok", / at localhost:\d+ in /, "localhost"],
  ["four.test", "ok", / at \[::1\]:\d+ in /, "::1"],
  ["many.test", "ok", / and 990 more at /],
  ["gone.test", "critical", /: NXDOMAIN$/],
  ["dangling.test", "critical", /: NXDOMAIN$/],
  ["text.test", "critical", /: no address$/],
  ["loop1.test", "critical", /: (no address|SERVFAIL)$/],
  ["web.sick", "critical", /: SERVFAIL$/],
  ["elsewhere.example", "critical", /: REFUSED$/],
] as const)
  test(`[NC3] dns to named: ${name} at ${host ?? "127.0.0.1"} is ${status}`, {
    skip: skip || (host === "::1" && ipv6SkipReason),
  }, async () => {
    const run = await dns(name, host);
    assert.deepEqual([run.status, expected.test(run.output)], [status, true], run.output);
    assert.equal(run.perfdata.length, status === "ok" ? 1 : 0);
  });

test("[NC3] dns to named: a thousand addresses are received over TCP", { skip }, async () => {
  const runs = await Promise.all(Array.from({ length: 50 }, () => dns("many.test")));
  for (const run of runs) assert.match(run.output, /^many\.test is (10\.0\.\d+\.\d+(, )?){10} and 990 more at /);
});
