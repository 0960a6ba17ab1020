import assert from "node:assert/strict";
import fc from "fast-check";
import type { Catalog } from "../../model/catalog.ts";
import type { HistoryRecord } from "../../model/history.ts";
import { keyOf, refOf } from "../../model/object-key.ts";
import { allProgramTogglesOn } from "../../model/toggles.ts";
import { compareHistory } from "../history/history-position.ts";
import { allPages, isAskedFor, sampleHistoryEntries, textQueries } from "../history/history-text.fixture.ts";
import { contractRealmLabels, rowFor } from "../read-model.fixture.ts";
import { type ContractRule, configRecord, eventsOf, selectorOf, sortedByName } from "./contract-context.contract.ts";

/** Rules on history, catalogs, realms and past rows. */
export function historyRules(rule: ContractRule): void {
  rule("[RM16] history is newest first and contains each record of a realm once", async (on) => {
    await on.under.record([
      configRecord("eu", 1, 10),
      configRecord("us", 1, 15),
      configRecord("eu", 2, 20),
      configRecord("us", 2, 20),
    ]);
    await on.under.record([configRecord("eu", 2, 20), configRecord("eu", 1, 10)]);
    assert.deepEqual(await on.events(), ["us 2", "eu 2", "us 1", "eu 1"]);
    assert.deepEqual(await on.events({ realm: "eu" }), ["eu 2", "eu 1"]);
    assert.deepEqual(await on.events({ sinceMs: 15, untilMs: 20 }), ["us 1"]);
    assert.deepEqual(await on.events({ realm: "mars" }), []);
  });

  rule("[RM17] history is filtered by object, selector and type, and paged", async (on) => {
    await on.put(rowFor("eu", "a", { labels: { env: "prod" } }), rowFor("eu", "b"));
    await on.under.record([
      configRecord("eu", 1, 1),
      { ...configRecord("eu", 2, 2), key: keyOf("a"), type: "state" },
      { ...configRecord("eu", 3, 3), key: keyOf("b"), type: "state" },
      { ...configRecord("eu", 4, 4), key: keyOf("a"), type: "notification", contact: "ops", level: 0 },
      { ...configRecord("eu", 5, 5), key: keyOf("gone"), type: "state" },
    ]);
    assert.deepEqual(await on.events({ key: keyOf("a") }), ["eu 4", "eu 2"]);
    assert.deepEqual(await on.events({ selector: selectorOf("env=prod") }), ["eu 4", "eu 2"]);
    assert.deepEqual(await on.events({ types: ["state", "config"] }), ["eu 5", "eu 3", "eu 2", "eu 1"]);
    const first = await on.history({ pageSize: 2 });
    await on.under.record([configRecord("eu", 6, 6)]);
    const second = await on.history({ pageSize: 2, pageToken: first.nextPageToken });
    const third = await on.history({ pageSize: 2, pageToken: second.nextPageToken });
    assert.deepEqual([first, second, third].flatMap(eventsOf), ["eu 5", "eu 4", "eu 3", "eu 2", "eu 1"]);
    assert.equal(third.nextPageToken, "");
    assert.equal((await on.history({ pageSize: 6 })).nextPageToken, "", "a full last page has no next page");
  });

  rule("[RM33] history is searched by actor, contact and text as by reading all of it", async (on) => {
    const records = sampleHistoryEntries(300).map((entry, at) => ({
      ...entry,
      realm: at % 3 === 0 ? "us" : "eu",
      seq: at + 1,
    }));
    await on.under.record(records);
    await fc.assert(
      fc.asyncProperty(textQueries, async (query) => {
        const found = await allPages(query, on.history);
        const expected = records.filter((record) => isAskedFor(record, query));
        assert.deepEqual(
          eventsOf({ records: found }),
          eventsOf({ records: expected.toSorted((a, b) => compareHistory(b, a)) }),
        );
      }),
      { numRuns: 30 },
    );
  });

  rule("[FD76] the numbers of the stored records of a realm are known as runs, in any order of input", async (on) => {
    await on.under.record([configRecord("eu", 5, 50), configRecord("eu", 1, 10)]);
    await on.under.record([configRecord("eu", 2, 20), configRecord("us", 7, 70)]);
    await on.under.record([configRecord("eu", 4, 40), configRecord("eu", 5, 50)]);
    const { held } = await on.history({ realm: "eu" });
    const runs = [
      { from: 1, fromAtMs: 10, to: 2, toAtMs: 20 },
      { from: 4, fromAtMs: 40, to: 5, toAtMs: 50 },
    ];
    assert.deepEqual(held?.get("eu"), { runs, trimmed: undefined });
  });

  rule(
    "[FD76] a record in place of missing ones passes filters by type, and without an object all others",
    async (on) => {
      await on.put(rowFor("eu", "a", { labels: { env: "prod" } }));
      await on.under.record([
        { ...configRecord("eu", 1, 1), type: "gap" },
        { ...configRecord("eu", 2, 2), type: "gap", key: keyOf("a") },
        { ...configRecord("eu", 3, 3), type: "gap", stoppedAtMs: 2 },
      ]);
      assert.deepEqual(await on.events({ types: ["state"] }), ["eu 2", "eu 1"]);
      assert.deepEqual(await on.events({ key: keyOf("a") }), ["eu 2", "eu 1"]);
      assert.deepEqual(await on.events({ key: keyOf("b") }), ["eu 1"]);
      assert.deepEqual(await on.events({ selector: selectorOf("env=prod") }), ["eu 2", "eu 1"]);
    },
  );

  rule(
    "[RM18] a catalog replaces the earlier one of its realm; realms are returned in their current state",
    async (on) => {
      const catalog = (realm: string, name: string): Catalog => ({
        realm,
        contacts: [],
        views: [{ name, selector: "a", description: "", saved: false, author: "" }],
        sinks: [],
        panels: [],
        slos: [],
        toggles: allProgramTogglesOn,
      });
      for (const [realm, name] of [
        ["us", "x"],
        ["eu", "y"],
        ["us", "z"],
      ] as const)
        await on.under.setCatalog(catalog(realm, name));
      const catalogs = await on.under.model.catalogs();
      assert.deepEqual(catalogs, { ok: true, value: [catalog("eu", "y"), catalog("us", "z")] });
      const realm = {
        name: "eu",
        reachable: false,
        lastSeenAtMs: 5,
        description: "Europe",
        labels: contractRealmLabels.eu ?? {},
        clockSkewMs: undefined,
        toggles: undefined,
        freshness: "unreachable" as const,
        behindSinceMs: undefined,
        rowsHeld: 0,
        rowsExpected: 0,
        detail: "",
        version: "",
      };
      await on.under.setRealms([realm]);
      assert.deepEqual(await on.under.model.realms(), { ok: true, value: [realm] });
      await on.under.setRealms([{ ...realm, reachable: true }]);
      assert.deepEqual(await on.under.model.realms(), { ok: true, value: [{ ...realm, reachable: true }] });
    },
  );

  rule("[TM2] past rows are derived from the records around the time, each realm by its own history", async (on) => {
    const down = {
      status: "critical",
      lastHardStatus: "critical",
      lastChangeAtMs: 50,
      lastHardChangeAtMs: 50,
    } as const;
    await on.put(
      rowFor("eu", "web1", { ...down, output: "no route" }),
      rowFor("eu", "web1!http", { lastChangeAtMs: 60, output: "fine again" }),
      rowFor("us", "web1", { ...down, lastChangeAtMs: 5 }),
      rowFor("us", "db1", { lastChangeAtMs: 90 }),
    );
    const change = (seq: number, atMs: number, ref: string, more: Partial<HistoryRecord>): HistoryRecord => ({
      ...{ realm: "eu", seq, atMs, type: "state", key: keyOf(ref), stateType: "hard", attempt: 1 },
      ...more,
    });
    const given = { author: "ann", onBehalfOf: "", comment: "", sticky: true, atMs: 30, expiresAtMs: undefined };
    await on.under.record([
      change(1, 10, "web1", { status: "ok", previousStatus: "pending", output: "up" }),
      change(2, 20, "web1!http", { status: "critical", previousStatus: "ok", output: "refused" }),
      change(3, 50, "web1", { status: "critical", previousStatus: "ok", output: "no route" }),
      change(4, 60, "web1!http", { status: "ok", previousStatus: "critical" }),
      change(5, 60, "web1!http", { type: "acknowledgement_removed", acknowledgement: given }),
    ]);
    const at = async (atMs: number) =>
      (await on.status({ ...sortedByName, atMs })).rows.map(
        ({ about, realm, status, output, acknowledgement, suppressedBy, handled, lastChangeAtMs }) =>
          `${realm} ${refOf(about.key)} ${status} ${lastChangeAtMs} ${output} ${acknowledgement?.author} ${suppressedBy} ${handled}`,
      );
    const us = ["us db1 pending undefined history does not reach back so far undefined  false"];
    const usWeb = "us web1 critical 5  undefined  false";
    assert.deepEqual(await at(40), [
      ...us,
      "eu web1 ok 10 up undefined  false",
      usWeb,
      "eu web1!http critical 20 refused ann  true",
    ]);
    assert.deepEqual((await at(25)).at(-1), "eu web1!http critical 20 refused undefined  false");
    assert.deepEqual((await at(55)).at(-1), "eu web1!http critical 20 refused ann web1 true");
    assert.deepEqual((await at(70)).at(-1), "eu web1!http ok 60 fine again undefined  false");
    assert.equal((await on.status({ realm: "eu", problemsOnly: true, atMs: 40 })).summary.acknowledged, 1);
    assert.deepEqual(await on.refs({ key: keyOf("web1"), atMs: 55, ...sortedByName }), ["eu web1", "us web1"]);
  });
}
