import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../call.ts";
import { outputOf } from "../cli.ts";
import { hostTarget, sendCommand, statusRows } from "../rows.ts";
import { behindEachSwitch, reportSwitches, startStorm } from "./storm.ts";

type CauseRow = {
  readonly impact?: {
    readonly counts: readonly { readonly kind: string; readonly status: string; readonly count: number }[];
  };
  readonly cause?: object;
};

const sizeOf = ({ impact }: CauseRow): number => impact?.counts.reduce((sum, { count }) => sum + count, 0) ?? 0;
const rowsOf = async (base: string, request: object = {}) =>
  (await statusRows(base, request)) as Readonly<Record<string, CauseRow & { readonly handled: boolean }>>;

test("[CS1, CS2] the fall of two switches shows as two problems with what is behind them, at the agent and the centre", async (t) => {
  const { agents, centre } = await startStorm(t);
  const { base } = centre;
  const before = await call(base, "QueryService/ListStatus", { pageSize: 1 });
  await reportSwitches(agents.fra.base, "CRITICAL");
  await until("the centre counts all that is behind", async () => {
    const rows = Object.values(await rowsOf(base, { search: "sw" }));
    return rows.filter((row) => sizeOf(row) === behindEachSwitch).length === 2;
  });

  await t.test("they are on top, with their impact by kind and status", async () => {
    for (const [server, prefix] of [
      [agents.fra.base, ""],
      [base, "fra/"],
    ] as const) {
      const rows = await rowsOf(server, { pageSize: 3 });
      assert.deepEqual(Object.keys(rows).slice(0, 2).sort(), [`${prefix}sw1`, `${prefix}sw2`]);
      assert.deepEqual(rows[`${prefix}sw2`]?.impact?.counts, [
        { kind: "OBJECT_KIND_HOST", status: "STATUS_UNREACHABLE", count: 74 },
        { kind: "OBJECT_KIND_SERVICE", status: "STATUS_CRITICAL", count: 76 },
      ]);
    }
  });

  await t.test("the summary counts two problems more, and those behind them", async () => {
    const after = await call(base, "QueryService/ListStatus", { pageSize: 1, unhandledOnly: true });
    const summary = (answer: typeof after) => answer.body["summary"] as { unhandled: number; behind?: number };
    assert.equal(summary(after).unhandled, summary(before).unhandled + 2);
    assert.deepEqual([summary(before).behind ?? 0, summary(after).behind], [0, 2 * behindEachSwitch]);
  });

  await t.test("a selector finds the consequences of one, which name it, also those of a dependency", async () => {
    const found = await rowsOf(base, { selector: "@cause=sw2" });
    assert.equal(Object.keys(found).length, behindEachSwitch);
    assert.deepEqual(found["fra/nas!nfs"]?.cause, { host: { name: "sw2" } });
    assert.deepEqual(found["fra/h100!http"]?.cause, { host: { name: "sw2" } });
    const objects = await call(base, "QueryService/ListObjects", { selector: "@cause=sw1,@kind=host", pageSize: 1 });
    const [object] = objects.body["rows"] as readonly CauseRow[];
    assert.deepEqual(object?.cause, { host: { name: "sw1" } });
  });

  await t.test("the command line shows and explains it", async () => {
    const env = { REALMWATCH_SERVER: base };
    assert.match(await outputOf(["status", "-unhandled"], env), /sw1 .*150 behind it/);
    assert.match(await outputOf(["status", "-unhandled"], env), /; 20 unhandled, 300 objects behind them/);
    assert.match(await outputOf(["explain", "h3!http"], env), /Suppressed by h3\.\nThe topmost cause is sw1\./);
  });

  await t.test(
    "a cause that is acknowledged comes directly before its consequences; one command acknowledges these",
    async () => {
      const acknowledgement = { sticky: true, author: "ann", comment: "The switch is being replaced." };
      await sendCommand(agents.fra.base, "AcknowledgeProblem", { target: hostTarget("sw1"), ...acknowledgement });
      await sendCommand(agents.fra.base, "AcknowledgeProblem", {
        target: { selector: "@cause=sw1" },
        ...acknowledgement,
      });
      await until("all are acknowledged at the centre", async () => {
        const rows = Object.values(await statusRows(base, { selector: "@cause=sw1" }));
        return rows.length === behindEachSwitch && rows.every((row) => row.acknowledgement !== undefined);
      });
      const refs = Object.keys(await rowsOf(base, { problemsOnly: true }));
      const at = refs.indexOf("fra/sw1");
      const consequences = new Set(Object.keys(await rowsOf(base, { selector: "@cause=sw1" })));
      assert.equal(
        refs.slice(at + 1, at + 1 + behindEachSwitch).filter((ref) => consequences.has(ref)).length,
        behindEachSwitch,
      );
    },
  );

  await t.test("the last known rows of a realm that is away keep causes and impacts", async () => {
    await agents.fra.stop("SIGKILL");
    await until(
      "the realm is stale",
      async () => (Object.values(await rowsOf(base, { search: "sw2" }))[0] as { stale?: boolean }).stale === true,
    );
    assert.equal(sizeOf((await rowsOf(base, { search: "sw2" }))["fra/sw2"] ?? {}), behindEachSwitch);
    const { body } = await call(base, "QueryService/ListStatus", { pageSize: 1 });
    const { lastKnown } = body["summary"] as { readonly lastKnown: { readonly behind: number } };
    assert.equal(lastKnown.behind, behindEachSwitch);
  });
});
