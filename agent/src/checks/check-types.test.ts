import assert from "node:assert/strict";
import { test } from "node:test";
import { createSecureContext } from "node:tls";
import { fail } from "@realmwatch/shared/model/result";
import { allowAllOutbound } from "@realmwatch/shared/platform/network/outbound-policy";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { checkSamples } from "./check-samples.fixture.ts";
import type { CheckDependencies } from "./check-type.ts";
import { checkTypes } from "./check-types.ts";
import { checkEnvironment, servicePlan } from "./plan.fixture.ts";
import { runCheck } from "./run-check.ts";

/** Dependencies that all fail. */
const failing: CheckDependencies = {
  clock: systemClock,
  resolver: { outbound: allowAllOutbound, resolve: async () => fail("server_failed") },
  programs: { run: async () => ({ kind: "lost" }), close: async () => {} },
  echoes: { probe: async () => ({ kind: "unavailable" }), close: async () => {} },
  trustedRoots: () => createSecureContext(),
  snmp: { get: async () => fail({ kind: "no_answer", detail: "" }) },
  modules: { run: async () => ({ kind: "lost" }), close: async () => {} },
};

for (const [type, spec] of Object.entries(checkSamples)) {
  test(`${type}: failures of dependencies are a problem with a reason`, async () => {
    const run = await runCheck(servicePlan(spec, 300), checkEnvironment(), failing);
    assert.ok(run.status === "critical" || run.status === "unknown", run.status);
    assert.match(run.output, /./);
    assert.ok(run.executionMs >= 0);
  });

  test(`${type}: an interrupted check is unknown`, async () => {
    const environment = checkEnvironment({ signal: AbortSignal.abort() });
    const run = await runCheck(servicePlan(spec), environment, failing);
    assert.deepEqual([run.status, run.output], ["unknown", `${type} check was interrupted`]);
  });
}

test("check types have the names under which they are filed", () => {
  for (const [name, { type }] of Object.entries(checkTypes)) assert.equal(type, name);
});
