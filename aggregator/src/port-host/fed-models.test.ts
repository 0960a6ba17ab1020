import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { RealmView } from "@realmwatch/shared/model/realm";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { openHeldModel } from "../centre/active-read-model.ts";
import { FedModels } from "./fed-models.ts";
import { attachPort } from "./fed-port.fixture.ts";

const eu: RealmView = {
  ...{ name: "eu", reachable: true, lastSeenAtMs: 1, description: "", labels: {}, clockSkewMs: 0, toggles: undefined },
  ...{ freshness: "current", behindSinceMs: undefined, rowsHeld: 0, rowsExpected: 0, detail: "", version: "" },
};

/**
 * Read model that is fed, with the port that answers with the number of rows held.
 *
 * @param onRead called before that number is read
 */
function open(t: TestContext, onRead = (): void => {}) {
  const fed = new FedModels(systemClock);
  const port = attachPort(fed, () => {
    onRead();
    return {
      model: opened.number,
      realms: [{ ...eu, rowsHeld: held.objectCount() }],
      ...{ unavailableReason: undefined, historyUnavailableReason: undefined },
      ...{ unreadableHistories: new Map(), historyClaims: new Map() },
    };
  });
  t.after(port.close);
  const opened = fed.open({ generation: "1", labels: new Map(), historyRecords: 10 });
  const { writer, held } = openHeldModel(opened);
  return { port, opened, writer };
}

test("[PT44] while rows come, go and are forgotten, each answer has as many rows as its realm's state says", async (t) => {
  const { port, writer } = open(t, () => {
    changeOne();
    // Sent behind the state, in the same turn.
    if (revision % 3 === 0) queueMicrotask(() => writer.forgetRealm("eu"));
  });
  let revision = 0;
  let isRunning = true;
  t.after(() => {
    isRunning = false;
  });
  const changeOne = (): void => {
    const row = rowFor("eu", `h${(++revision * 7) % 3_000}`, { epoch: 5, revision });
    const drop = { kind: "drop", realm: "eu", key: row.about.key, epoch: 5, revision } as const;
    writer.apply([revision % 5 === 0 ? drop : { kind: "put", row }]);
  };
  const change = async (): Promise<void> => {
    while (isRunning) {
      for (let turn = 0; turn < 40; turn++) changeOne();
      if (revision % 100 === 0) writer.forgetRealm("eu");
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const changing = change();
  const seen = new Set<number>();
  for (let turn = 0; turn < 60; turn++)
    for (const { rows, held } of await Promise.all([port.rows(), port.rows()])) {
      assert.equal(rows, held);
      seen.add(rows);
    }
  isRunning = false;
  await changing;
  assert.ok(seen.size > 10, `only ${seen.size} numbers of rows were seen`);
});

test("[PT44] a read model that is not in the port answers nothing, whatever the state says", async (t) => {
  const { port, opened } = open(t);
  assert.deepEqual(await port.rows(), { rows: 0, held: 0, freshness: "current" });
  opened.close();
  assert.match(await port.refusal(), /is being opened/);
});
