import assert from "node:assert/strict";
import { test } from "node:test";
import type { EngineFunctions } from "../port/port-contract.ts";
import { MemberCallError, standbyEngine } from "./standby-engine.ts";

const engineWith = (error: Error): EngineFunctions =>
  standbyEngine({
    forward: () => Promise.reject(error),
    control: () => assert.fail("not asked"),
    recordAudit: async () => {},
    renderMetrics: async () => "",
    dependencies: () => [],
    noteDamagedRecord() {},
  });
const object = { host: "web" } as const;
const calls: Readonly<Record<string, (engine: EngineFunctions) => unknown>> = {
  "the configuration": (engine) => engine.servedDocument(),
  "the command of a check": (engine) => engine.checkCommand({ kind: "host", host: "web" } as never),
  "recorded metrics": (engine) => engine.recordedMetrics(object as never),
  "recorded points": (engine) => engine.recordedPoints({} as never),
  "a validation": (engine) => engine.validateConfig("", false),
  alerts: (engine) => engine.submitAlerts([], {} as never, []),
};

for (const [what, call] of Object.entries(calls))
  test(`[PA59] a standby refuses ${what} with a reason while the active member does not answer`, async () => {
    const why = "standby: the active is fra-b";
    for (const [wasSent, kind] of [
      [false, "unavailable"],
      [true, "unanswered"],
    ] as const)
      assert.deepEqual(await call(engineWith(new MemberCallError(why, wasSent))), {
        ok: false,
        error: { kind, what: why },
      });
  });
