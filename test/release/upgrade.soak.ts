import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { startNats, startRedis, startTestAgent, startTestAggregator, type TestProgram } from "../run/processes.ts";
import { hostTarget, realmStates, sendCommand, statusRows } from "../run/rows.ts";
import { buildPrevious, previous, removeBuild } from "./previous-build.ts";

const hosts = 50;
const config = `hosts: {${Array.from({ length: hosts }, (_, at) => `h${at}: {address: "x", check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}}`).join("\n")}
}
`;

type Build = "old" | "new";
type Part = "agent" | "aggregator";

/** Order in which the parts of a federation are replaced, each while all others run. */
const orders: readonly (readonly Part[])[] = [
  ["agent", "aggregator"],
  ["aggregator", "agent"],
];

describe(`an upgrade from commit ${previous.name}`, { skip: previous.skip }, () => {
  let old = "";
  before(async () => {
    old = await buildPrevious(["agent", "aggregator"]);
  });
  after(() => removeBuild(old));

  for (const order of orders)
    for (const [from, to] of [
      ["old", "new"],
      ["new", "old"],
    ] as const)
      test(`${order.join(", then ")}, from ${from} to ${to}: no row, mark, record or command is lost`, async (t) => {
        const federation = await startFederation(t, { old, build: from });
        await federation.work(1);
        for (const part of order) {
          await federation.replace(part, to);
          await federation.converged();
          await federation.work(part === order[0] ? 2 : 3);
        }
        await federation.converged();
        const { records } = await federation.history();
        const texts = records.flatMap(({ comment }) => comment ?? []).filter((text) => /^comment \d/.test(text));
        assert.deepEqual(texts.toSorted(), ["comment 1", "comment 2", "comment 3"]);
      });
});

/** One realm and two aggregators on NATS and Redis, of one build. */
async function startFederation(t: TestScope, { old, build }: { readonly old: string; readonly build: Build }) {
  const [nats, redis] = await Promise.all([startNats(t), startRedis(t)]);
  const checkoutOf = (of: Build) => (of === "old" ? old : undefined);
  const common = { "nats-url": nats.url };
  const startAgent = (of: Build, flags = {}) =>
    startTestAgent(t, { config, realm: "fra", flags: { ...common, ...flags }, checkout: checkoutOf(of) });
  const startCentre = (of: Build, flags = {}) =>
    startTestAggregator(t, {
      realms: "realms: fra: {}\n",
      flags: { ...common, "redis-url": redis.url, ...flags },
      checkout: checkoutOf(of),
    });
  const centres = [await startCentre(build), await startCentre(build)];
  let agent = await startAgent(build);

  const placeOf = ({ dataDir, port }: TestProgram) => ({ "data-dir": dataDir, port });
  async function converged(): Promise<void> {
    const own = await statusRows(agent.base);
    for (const { base } of centres)
      await until("the aggregator has the realm's rows and calls them current", async () => {
        const { fra } = await realmStates(base);
        const rows = await statusRows(base);
        const texts = (of: Readonly<Record<string, object>>): string[] =>
          Object.entries(of).map(([name, row]) => `${name.replace("fra/", "")} ${marksOf(row)}`);
        return fra?.freshness === "REALM_FRESHNESS_CURRENT" && texts(rows).sort().join() === texts(own).sort().join();
      });
  }
  return {
    converged,
    history: async () =>
      (await call(agent.base, "QueryService/ListHistory", { pageSize: 1_000 })).body as {
        readonly records: readonly { readonly comment?: string }[];
      },
    /** Sends results, and through an aggregator a comment, an acknowledgement and a downtime. */
    async work(step: number): Promise<void> {
      const results = Array.from({ length: hosts }, (_, at) => ({
        object: { host: { name: `h${at}` } },
        status: (at + step) % 3 === 0 ? "STATUS_CRITICAL" : "STATUS_OK",
        output: `step ${step}`,
      }));
      await sendCommand(agent.base, "ProcessCheckResults", { results });
      const bad = results.findIndex(({ status }) => status === "STATUS_CRITICAL");
      await converged();
      const [one, two] = centres as [TestProgram, TestProgram];
      const forward = (to: TestProgram, rpc: string, request: object) =>
        sendCommand(to.base, `RealmCommandService/${rpc}`, { realm: "fra", request: { author: "ann", ...request } });
      await forward(one, "AddComment", { target: hostTarget("h0"), text: `comment ${step}` });
      await forward(two, "AcknowledgeProblem", { target: hostTarget(`h${bad}`), comment: `ack ${step}` });
      const now = Date.now();
      await forward(one, "ScheduleDowntime", {
        ...{ target: hostTarget(`h${step}`), comment: `downtime ${step}`, fixed: {} },
        ...{ start: new Date(now).toISOString(), end: new Date(now + 3_600_000).toISOString() },
      });
      await converged();
    },
    async replace(part: Part, to: Build): Promise<void> {
      if (part === "agent") {
        const before = await statusRows(agent.base);
        assert.equal(await agent.stop(), 0);
        agent = await startAgent(to, placeOf(agent));
        const names = Object.entries(await statusRows(agent.base)).map(([name, row]) => `${name} ${marksOf(row)}`);
        assert.deepEqual(
          names.sort(),
          Object.entries(before)
            .map(([name, row]) => `${name} ${marksOf(row)}`)
            .sort(),
        );
        return;
      }
      // One of the two is replaced while the other one answers.
      for (const at of [0, 1]) {
        const centre = centres[at] as TestProgram;
        assert.equal(await centre.stop(), 0);
        centres[at] = await startCentre(to, placeOf(centre));
        await converged();
      }
    },
  };
}

/** Fields of a row that an upgrade keeps, as a text. */
function marksOf(row: object): string {
  const { status, stateType, output, acknowledgement, comments, downtimes } = row as Record<string, unknown>;
  return JSON.stringify([status, stateType, output, acknowledgement, comments, downtimes]);
}
