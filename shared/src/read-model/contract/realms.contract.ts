import assert from "node:assert/strict";
import type { RealmView } from "../../model/realm.ts";
import { rowFor } from "../read-model.fixture.ts";
import type { StatusAnswer } from "../read-model.ts";
import { type ContractRule, refsOf } from "./contract-context.contract.ts";

const realmView = (name: string, different: Partial<RealmView> = {}): RealmView => ({
  name,
  reachable: true,
  lastSeenAtMs: 1_000_000,
  description: "",
  labels: {},
  clockSkewMs: 0,
  toggles: undefined,
  freshness: "current",
  behindSinceMs: undefined,
  rowsHeld: 1,
  rowsExpected: 1,
  detail: "",
  version: "v1",
  ...different,
});

const namesOf = ({ realms }: Pick<StatusAnswer, "realms">) => realms.map(({ name }) => name);

/** Rules on the realms' records in status answers. */
export function realmRules(rule: ContractRule): void {
  rule(
    "[FD50] changedSince returns only the realms whose records changed, and all when it knows of none",
    async (on) => {
      const eu = realmView("eu");
      const us = realmView("us");
      await on.under.setRealms([eu, us]);
      const first = await on.status();
      assert.deepEqual(first.realms, [eu, us]);
      const idle = await on.status({ changedSince: first.revision });
      assert.deepEqual([idle.realms, idle.full], [[], false]);
      const changes: Partial<RealmView>[] = [
        { freshness: "behind", detail: "1 of 2 rows is missing" },
        { rowsHeld: 2 },
        { version: "v2" },
        { reachable: false },
        { labels: { region: "north" } },
        { clockSkewMs: 60_000 },
      ];
      let { revision } = idle;
      for (const change of changes) {
        const changed = realmView("us", change);
        await on.under.setRealms([eu, changed]);
        const news = await on.status({ changedSince: revision });
        assert.deepEqual(news.realms, [changed], JSON.stringify(change));
        revision = news.revision;
      }
      const late = await on.status({ changedSince: first.revision });
      assert.deepEqual(namesOf(late), ["us"]);
      assert.deepEqual(namesOf(await on.status({ changedSince: "unknown" })), ["eu", "us"]);
      await on.under.setRealms([eu]);
      const shorter = await on.status({ changedSince: late.revision });
      assert.deepEqual([namesOf(shorter), shorter.full], [["eu"], true], "a realm that is gone needs a full answer");
    },
  );

  rule("[FD50] inaccuracies of measured times are no change of a record", async (on) => {
    const behind = { freshness: "behind", behindSinceMs: 900_000 } as const;
    await on.under.setRealms([realmView("eu", behind)]);
    const { revision } = await on.status();
    await on.under.setRealms([realmView("eu", { ...behind, behindSinceMs: 900_003, clockSkewMs: 40 })]);
    assert.deepEqual((await on.status({ changedSince: revision })).realms, []);
  });

  rule("[FD51] a newer last message alone is sent every 15 s at most, and reaches every client in time", async (on) => {
    const at = (lastSeenAtMs: number) => on.under.setRealms([realmView("eu", { lastSeenAtMs }), realmView("us")]);
    await at(1_000_000);
    let { revision } = await on.status();
    const sent = [];
    for (let ms = 3_000; ms <= 48_000; ms += 3_000) {
      await at(1_000_000 + ms);
      const news = await on.status({ changedSince: revision });
      revision = news.revision;
      for (const { name, lastSeenAtMs } of news.realms) sent.push([name, lastSeenAtMs]);
    }
    assert.deepEqual(sent, [
      ["eu", 1_015_000],
      ["eu", 1_030_000],
      ["eu", 1_045_000],
    ]);
  });

  rule("[FD51] of 1 000 realms an answer has a few for their last messages, and each in its turn", async (on) => {
    const names = Array.from({ length: 1_000 }, (_, at) => `realm-${at}`);
    const at = (lastSeenAtMs: number) => on.under.setRealms(names.map((name) => realmView(name, { lastSeenAtMs })));
    await at(1_000_000);
    let { revision } = await on.status();
    const seen = new Set<string>();
    for (let poll = 1; poll <= 600; poll++) {
      await at(1_000_000 + poll * 3_000);
      const news = await on.status({ changedSince: revision });
      revision = news.revision;
      assert.ok(JSON.stringify(news).length < 4_000, `${JSON.stringify(news).length} bytes`);
      for (const name of namesOf(news)) seen.add(name);
    }
    assert.equal(seen.size, names.length);
  });

  rule("[FD52] rows whose realm becomes stale or current are sent again", async (on) => {
    await on.put(rowFor("eu", "a"), rowFor("eu", "b", { status: "critical" }), rowFor("us", "c"));
    const us = realmView("us");
    await on.under.setRealms([realmView("eu"), us]);
    const all = await on.status();
    const problems = await on.status({ problemsOnly: true });
    await on.under.setRealms([realmView("eu", { freshness: "unreachable" }), us]);
    const news = await on.status({ changedSince: all.revision });
    assert.deepEqual([refsOf(news).sort(), namesOf(news)], [["eu a", "eu b"], ["eu"]]);
    assert.deepEqual(refsOf(await on.status({ problemsOnly: true, changedSince: problems.revision })), ["eu b"]);
    assert.deepEqual(refsOf(await on.status({ realm: "us", changedSince: all.revision })), []);
    assert.deepEqual(refsOf(await on.status({ changedSince: news.revision })), []);
    await on.under.setRealms([realmView("eu", { freshness: "behind" }), us]);
    assert.deepEqual(refsOf(await on.status({ changedSince: news.revision })), [], "stale for another reason");
    await on.under.setRealms([realmView("eu"), us]);
    assert.deepEqual(refsOf(await on.status({ changedSince: news.revision })).sort(), ["eu a", "eu b"]);
  });

  rule("[FD53] an answer without realms leaves their changes to the next answer that has realms", async (on) => {
    await on.put(rowFor("eu", "a"));
    await on.under.setRealms([realmView("eu"), realmView("us")]);
    const first = await on.status({ omitRealms: true });
    assert.deepEqual(first.realms, []);
    await on.under.setRealms([realmView("eu", { freshness: "behind" }), realmView("us")]);
    const omitted = await on.status({ omitRealms: true, changedSince: first.revision });
    assert.deepEqual([refsOf(omitted), omitted.realms], [["eu a"], []]);
    const known = await on.status({ changedSince: omitted.revision });
    assert.deepEqual([namesOf(known), refsOf(known)], [["eu", "us"], []], "the client has no record");
    await on.under.setRealms([realmView("eu"), realmView("us")]);
    const again = await on.status({ omitRealms: true, changedSince: known.revision });
    assert.deepEqual(namesOf(await on.status({ changedSince: again.revision })), ["eu"]);
  });
}
