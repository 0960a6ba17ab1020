import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf } from "../../model/object-key.ts";
import type { RealmView } from "../../model/realm.ts";
import { memoryHistory } from "../history/memory-history.ts";
import { memoryReadModel } from "../memory-read-model.ts";
import { everyRow, rowFor } from "../read-model.fixture.ts";
import type { StatusAnswer, StatusQuery } from "../read-model.ts";
import { sharedPolls } from "./shared-polls.ts";

const euRealm: RealmView = {
  ...{ name: "eu", reachable: true, lastSeenAtMs: 0, description: "", labels: {}, clockSkewMs: 0, toggles: undefined },
  ...{ freshness: "current", behindSinceMs: undefined, rowsHeld: 1, rowsExpected: 1, detail: "", version: "" },
};

function opened(realms: () => readonly RealmView[] = () => []) {
  const history = memoryHistory({ maxRecords: 10, findSubject: () => undefined });
  const model = memoryReadModel({ generation: "g", history });
  model.setRealms(realms);
  let asked = 0;
  const status = sharedPolls({
    status(query) {
      asked += 1;
      return model.status(query);
    },
  });
  let revision = 0;
  return {
    asked: () => asked,
    change: (ref: string) =>
      model.apply([{ kind: "put", row: rowFor("eu", ref, { status: "critical", revision: ++revision }) }]),
    drop: (ref: string) =>
      model.apply([{ kind: "drop", realm: "eu", key: keyOf(ref), epoch: 1, revision: ++revision }]),
    ask: async (query: Partial<StatusQuery>): Promise<StatusAnswer> => {
      const answer = await status({ ...everyRow, omitRealms: true, ...query });
      return answer.ok ? answer.value : assert.fail(JSON.stringify(answer.error));
    },
  };
}
const poll = (changedSince: string, nowMs: number) => ({ changedSince, nowMs, changesOnly: true });
const names = ({ rows }: StatusAnswer): readonly string[] => rows.map(({ about }) => about.key.name);

for (const [name, lastMs, filter] of [
  ["a list of problems within half a second", 499, { problemsOnly: true }],
  ["any other list within a second and a half", 1_499, {}],
] as const)
  test(`[RM28] clients that poll ${name} share an answer from their second poll on`, async () => {
    const { ask: askAny, asked, change } = opened();
    const ask = (query: Partial<StatusQuery>) => askAny({ ...filter, ...query });
    change("a");
    const first = (await ask({})).revision;
    change("b");
    const second = (await ask({})).revision;
    const [one, other] = [await ask(poll(first, 0)), await ask(poll(second, lastMs))];
    assert.deepEqual([names(one), names(other), one.revision === other.revision, asked()], [["b"], [], true, 4]);
    change("c");
    const [next, same] = [await ask(poll(one.revision, 3_000)), await ask(poll(other.revision, 3_000 + lastMs))];
    assert.deepEqual([next === same, names(next), asked()], [true, ["c"], 5]);
    assert.deepEqual(names(await ask(poll(one.revision, 3_001 + lastMs))), ["c"]);
    assert.equal(asked(), 6);
  });

test("[RM28] a client that got the revision of another one misses no change", async () => {
  const { ask, change, drop } = opened();
  for (const ref of ["a", "b"]) change(ref);
  const { revision } = await ask({});
  const early = await ask(poll(revision, 0));
  change("c");
  drop("a");
  const other = (await ask({})).revision;
  const late = await ask(poll(other, 100));
  assert.equal(late.revision, early.revision);
  const next = await ask(poll(late.revision, 3_000));
  assert.deepEqual([names(next), next.removed.length], [["c"], 1]);
});

test("[RM28] other filters, and queries without changesOnly, share nothing", async () => {
  const { ask, asked, change } = opened();
  change("a");
  const { revision } = await ask({});
  const before = asked();
  for (const query of [{}, { unhandledOnly: true }, { realm: "eu" }, { omitRealms: false }])
    await ask({ ...poll(revision, 0), ...query });
  for (const nowMs of [0, 0]) await ask({ changedSince: revision, nowMs });
  assert.equal(asked() - before, 6);
});

test("[RM28] clients that receive realms share answers, wherever they are in the sweep over the last messages", async () => {
  let [heardMs, freshness]: [number, RealmView["freshness"]] = [0, "current"];
  const { ask, asked, change } = opened(() => [{ ...euRealm, freshness, lastSeenAtMs: heardMs }]);
  const withRealms = (changedSince: string, nowMs: number) => ({ ...poll(changedSince, nowMs), omitRealms: false });
  change("a");
  const { revision: early } = await ask({ omitRealms: false });
  heardMs = 20_000;
  const { revision: late } = await ask({ omitRealms: false });
  assert.notEqual(early, late);
  const [one, other] = [await ask(withRealms(early, 0)), await ask(withRealms(late, 100))];
  assert.deepEqual([one.realms.length, other.realms.length, one.revision === other.revision], [1, 0, true]);
  const before = asked();
  freshness = "unreachable";
  const answers = [await ask(withRealms(one.revision, 3_000)), await ask(withRealms(other.revision, 3_400))];
  assert.deepEqual(
    [answers.map(({ realms }) => realms.map((realm) => realm.freshness)), asked() - before],
    [[["unreachable"], ["unreachable"]], 1],
  );
});
