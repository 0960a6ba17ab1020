import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import type { ServedAgent } from "../../port-host/agent-port-host.ts";
import { OwnEngine } from "./own-engine.ts";

const call = { name: "servedDocument", args: [] } as const;

/** Engine of a member whose agent a test starts and ends. */
function openEngine() {
  const state = { isActive: true, hasAgent: false };
  const clock = manualClock(0);
  const started = Promise.withResolvers<void>();
  const served = () =>
    ({
      realm: state.hasAgent ? {} : undefined,
      engine: { servedDocument: async () => "document" },
    }) as unknown as ServedAgent;
  const port = {
    get served() {
      return served();
    },
  };
  const engine = new OwnEngine({ clock, port, isActive: () => state.isActive, started: () => started.promise });
  return { state, clock, started, engine };
}

const done = { executed: true, result: "document" };
const nothing = { executed: false };

test("[PA61] a call while the agent starts waits for it", async () => {
  const { state, started, engine } = openEngine();
  const answer = engine.call(call, 1_000);
  state.hasAgent = true;
  started.resolve();
  assert.deepEqual(await answer, done);
});

test("[PA61] a call does nothing when the agent does not start in its time, or not at all", async () => {
  const slow = openEngine();
  const late = slow.engine.call(call, 1_000);
  slow.clock.advance(1_000);
  assert.deepEqual(await late, nothing);
  const failed = openEngine();
  failed.started.resolve();
  assert.deepEqual(await failed.engine.call(call, 1_000), nothing);
});

test("[PA61] a call does nothing at a member that is not active, or no longer when its agent has started", async () => {
  const other = openEngine();
  Object.assign(other.state, { isActive: false, hasAgent: true });
  assert.deepEqual(await other.engine.call(call, 1_000), nothing);
  const fenced = openEngine();
  const answer = fenced.engine.call(call, 1_000);
  Object.assign(fenced.state, { isActive: false, hasAgent: true });
  fenced.started.resolve();
  assert.deepEqual(await answer, nothing);
});

test("[PA61] a call of an agent that runs waits for nothing", async () => {
  const { state, engine } = openEngine();
  state.hasAgent = true;
  assert.deepEqual(await engine.call(call, 1_000), done);
});
