import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startNameServer } from "../../platform/dns/name-server.fixture.ts";
import { checkEnvironment, openTestDependencies, servicePlan } from "../plan.fixture.ts";
import { type CheckRun, runCheck } from "../run-check.ts";

const many = Array.from({ length: 20 }, (_, n) => `192.0.2.${n}`);
const server = await startNameServer({
  "four.example": ["192.0.2.7"],
  "six.example": ["::7"],
  "both.example": ["192.0.2.7", "::7"],
  "many.example": many,
  "empty.example": [],
  "sick.example": "servfail",
  "closed.example": "refused",
  "quiet.example": "silence",
  "torn.example": "garbage",
  "old.example": ["192.0.2.8"],
});
const dependencies = openTestDependencies([server.address]);
after(async () => {
  server.close();
  await dependencies.close();
});

const dns = (name: string, port = server.port, timeoutMs = 10_000): Promise<CheckRun> =>
  runCheck(servicePlan({ type: "dns", host: "localhost", port, name }, timeoutMs), checkEnvironment(), dependencies);

for (const [name, listed] of [
  ["four.example", "192.0.2.7"],
  ["six.example", "::7"],
  ["both.example", "192.0.2.7, ::7"],
  ["many.example", `${many.slice(0, 10).join(", ")} and 10 more`],
] as const)
  test(`[NC3] dns ${name} is ok with its addresses`, async () => {
    const run = await dns(name);
    assert.equal(run.status, "ok", run.output);
    assert.ok(run.output.startsWith(`${name} is ${listed} at localhost:${server.port} in `), run.output);
    assert.deepEqual(
      run.perfdata.map((p) => [p.label, p.uom]),
      [["time", "s"]],
    );
  });

for (const [name, reason] of [
  ["gone.example", "NXDOMAIN"],
  ["empty.example", "no address"],
  ["sick.example", "SERVFAIL"],
  ["closed.example", "REFUSED"],
  ["a..b", "invalid name"],
] as const)
  test(`[NC3] dns ${name} is critical: ${reason}`, async () => {
    const run = await dns(name);
    assert.deepEqual([run.status, run.output], ["critical", `${name} at localhost:${server.port}: ${reason}`]);
  });

test("[NC10] dns without an answer is critical at its timeout", async () => {
  const run = await dns("quiet.example", server.port, 2_000);
  assert.deepEqual([run.status, run.output], ["critical", "dns check timed out after 2s"]);
  assert.ok((server.queries.get("quiet.example") ?? 0) > 2, "an unanswered query is repeated");
});

test("[NC3] dns with an unanswered AAAA query is ok with the A addresses", async () => {
  const run = await dns("old.example", server.port, 3_000);
  assert.equal(run.status, "ok", run.output);
  assert.match(run.output, /^old\.example is 192\.0\.2\.8 at localhost:\d+ in [\d.]+ m?s, AAAA unanswered$/);
});

test("[NC8] dns with malformed answers is critical and limits its queries", async () => {
  const run = await dns("torn.example");
  assert.deepEqual([run.status, /: malformed answer$/.test(run.output)], ["critical", true], run.output);
  assert.ok((server.queries.get("torn.example") ?? 0) <= 12, `${server.queries.get("torn.example")} queries`);
});
