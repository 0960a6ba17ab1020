import assert from "node:assert/strict";
import { keyOf } from "../../model/object-key.ts";
import { allObjectTogglesOn } from "../../model/toggles.ts";
import type { Row } from "../../row/row.ts";
import { allHistory, everyRow, rowFor } from "../read-model.fixture.ts";
import type { StatusQuery } from "../read-model.ts";
import { anyRow } from "../rows/row-filter.ts";
import { type ContractRule, refsOf, selectorOf, sortedByName } from "./contract-context.contract.ts";

/** Rules on filters, sort orders and pages. */
export function listRules(rule: ContractRule): void {
  rule("[RM5] a row has to pass every condition of the filter", async (on) => {
    await on.put(
      rowFor("eu", "web1", { labels: { env: "prod" } }),
      rowFor("eu", "web1!http", { status: "critical", labels: { env: "prod" } }),
      rowFor("eu", "web1!SSH", { status: "warning", handled: true, inDowntime: true }),
      rowFor("us", "web1!http", { status: "pending" }),
      rowFor("us", "process:shop", { status: "unknown" }),
    );
    const filters: [Partial<StatusQuery>, string[]][] = [
      [{ realm: "us" }, ["us process:shop", "us web1!http"]],
      [{ realm: "mars" }, []],
      [{ key: keyOf("web1!http") }, ["eu web1!http", "us web1!http"]],
      [{ key: keyOf("web1!http"), realm: "eu" }, ["eu web1!http"]],
      [{ key: keyOf("web2") }, []],
      [{ kinds: ["host", "process"] }, ["eu web1", "us process:shop"]],
      [{ statuses: ["ok", "pending"] }, ["eu web1", "us web1!http"]],
      [{ statuses: ["critical"] }, ["eu web1!http"]],
      [{ problemsOnly: true }, ["eu web1!SSH", "eu web1!http", "us process:shop"]],
      [{ unhandledOnly: true }, ["eu web1!http", "us process:shop"]],
      [{ search: "ssh" }, ["eu web1!SSH"]],
      [{ search: "EB1!" }, ["eu web1!SSH", "eu web1!http", "us web1!http"]],
      [{ search: "process" }, []],
      [{ selector: selectorOf("env=prod") }, ["eu web1", "eu web1!http"]],
      [{ selector: selectorOf("@host=web1,@status!=pending") }, ["eu web1!SSH", "eu web1!http"]],
      [{ selector: selectorOf("@host in (web1,web2),@realm=us") }, ["us web1!http"]],
      [{ selector: selectorOf("!@host") }, ["eu web1", "us process:shop"]],
      [{ selector: selectorOf("env=prod"), problemsOnly: true, realm: "eu", kinds: ["host"] }, []],
    ];
    for (const [filter, refs] of filters) {
      const what = JSON.stringify(filter);
      assert.deepEqual((await on.refs(filter)).sort(), refs, what);
      const { counts } = (await on.status(filter)).summary;
      assert.equal(
        counts.reduce((sum, { count }) => sum + count, 0),
        refs.length,
        `summary of ${what}`,
      );
    }
  });

  rule("[RM6] the summary counts all matching rows, independent of the page", async (on) => {
    const acknowledgement = { author: "a", onBehalfOf: "", comment: "", sticky: true, atMs: 1, expiresAtMs: undefined };
    await on.put(
      rowFor("eu", "a", { status: "critical" }),
      rowFor("eu", "b", { status: "critical", handled: true, acknowledgement }),
      rowFor("eu", "b!x", { status: "warning", handled: true, inDowntime: true, flapping: true }),
      rowFor("us", "c", { inDowntime: true }),
    );
    const expected = {
      counts: [
        { kind: "host", status: "ok", count: 1 },
        { kind: "host", status: "critical", count: 2 },
        { kind: "service", status: "warning", count: 1 },
      ],
      unhandled: 1,
      inDowntime: 2,
      acknowledged: 1,
      flapping: 1,
      behind: 0,
      overdue: 0,
    };
    assert.deepEqual((await on.status({ pageSize: 1 })).summary, expected);
    assert.deepEqual((await on.status({ selector: selectorOf("!nothing"), pageSize: 1 })).summary, expected);
    await on.put(rowFor("eu", "a", { revision: 2 }));
    await on.drop("eu", "b", 2);
    const { summary } = await on.status();
    assert.deepEqual([summary.counts[0]?.count, summary.unhandled, summary.acknowledged], [2, 0, 0]);
  });

  rule(
    "[RM7] severity sorts unhandled problems first, then handled ones, each hosts first, then worst, youngest, and by name",
    async (on) => {
      const handled = { handled: true };
      await on.put(
        rowFor("eu", "k"),
        rowFor("eu", "B"),
        rowFor("eu", "a!z"),
        rowFor("eu", "a"),
        rowFor("eu", "j", { status: "pending" }),
        rowFor("eu", "i", { status: "warning", ...handled }),
        rowFor("eu", "h", { status: "critical", ...handled }),
        rowFor("eu", "g", { status: "warning" }),
        rowFor("eu", "f", { status: "unknown" }),
        rowFor("eu", "e", { status: "unreachable" }),
        rowFor("eu", "d", { status: "critical" }),
        rowFor("us", "d", { status: "critical" }),
        rowFor("us", "z", { status: "critical", lastChangeAtMs: 1_795_000_000_001 }),
        rowFor("us", "y", { status: "critical", lastChangeAtMs: 1_795_000_000_000 }),
      );
      const order = [
        "us z",
        "us y",
        "eu d",
        "us d",
        "eu e",
        "eu g",
        "eu f",
        "eu h",
        "eu i",
        "eu j",
        "eu a",
        "eu B",
        "eu k",
        "eu a!z",
      ];
      assert.deepEqual(await on.refs({ sort: { by: "severity", reverse: false } }), order);
      assert.deepEqual(await on.refs({ sort: { by: "severity", reverse: true } }), [...order].reverse());
    },
  );

  /** Rows that differ in one thing each from a hard critical host that changed at 5, in the order of a list. */
  const inOrder: readonly [what: string, ref: string, change: Partial<Row>][] = [
    ["with the greatest impact", "cause", {}],
    ["a process", "process:p", { lastChangeAtMs: 7 }],
    ["younger", "young", { lastChangeAtMs: 6 }],
    ["none", "a", {}],
    ["milder", "mild", { status: "warning", lastChangeAtMs: 9 }],
    ["a service", "a!s", { lastChangeAtMs: 9 }],
    ["soft", "soft", { stateType: "soft", lastChangeAtMs: 9 }],
    ["flapping", "flaps", { flapping: true, lastChangeAtMs: 9 }],
    ["handled, with an impact", "z-handled", { handled: true, lastChangeAtMs: 1 }],
    ["its consequence, worse", "z-below", { handled: true, suppressors: ["z-handled"] }],
    [
      "its consequence, milder",
      "below",
      { status: "unreachable", handled: true, suppressors: ["z-handled", "z-below"] },
    ],
    ["its consequence, a service", "below!s", { handled: true, suppressors: ["below"], lastChangeAtMs: 9 }],
    ["handled", "handled", { handled: true, lastChangeAtMs: 9 }],
    ["a consequence of an unhandled one", "behind", { status: "unreachable", handled: true, suppressors: ["cause"] }],
    ["without a problem", "fine", { status: "ok", lastChangeAtMs: 9 }],
  ];
  rule(
    "[RM7, RM32] by severity an unhandled problem of greater impact comes first, a handled one directly before its consequences",
    async (on) => {
      const rows = inOrder.map(([, ref, change]) =>
        rowFor("eu", ref, { status: "critical", lastChangeAtMs: 5, ...change }),
      );
      await on.put(...rows.toReversed());
      const order = inOrder.map(([, ref]) => `eu ${ref}`);
      assert.deepEqual(await on.refs({}), order);
      assert.deepEqual(await on.pages({ pageSize: 2 }), order);
      assert.equal((await on.status({ unhandledOnly: true })).summary.behind, 1);
      const consequences = await on.refs({ selector: selectorOf("@cause=z-handled") });
      assert.deepEqual(consequences, ["eu z-below", "eu below", "eu below!s"]);
    },
  );

  rule("[SE6] a host is found by each of its parents, by those that it has now", async (on) => {
    const child = (name: string, revision: number, ...parents: readonly string[]): Row => {
      const row = rowFor("eu", name, { revision });
      return { ...row, about: { ...row.about, parents } };
    };
    const found = (values: string) => on.refs({ selector: selectorOf(`@parent in (${values})`) });
    await on.put(child("a", 1, "sw1", "sw2"), child("b", 1, "sw2"), rowFor("eu", "sw1"));
    assert.deepEqual([await found("sw1"), await found("sw1,sw2")], [["eu a"], ["eu a", "eu b"]]);
    await on.put(child("a", 2, "sw2"), child("b", 2));
    assert.deepEqual([await found("sw1"), await found("sw1,sw2")], [[], ["eu a"]]);
  });

  rule(
    "[SE7] an object is found by each object that its dependencies read, by those that they read now",
    async (on) => {
      const dependent = (name: string, revision: number, ...dependsOn: readonly string[]): Row => {
        const row = rowFor("eu", name, { revision });
        return { ...row, about: { ...row.about, dependsOn } };
      };
      const found = (values: string) => on.refs({ selector: selectorOf(`@dependency in (${values})`) });
      await on.put(dependent("a", 1, "db!sql", "sw1"), dependent("b!x", 1, "sw1"), rowFor("eu", "sw1"));
      assert.deepEqual([await found('"db!sql"'), await found('"db!sql",sw1')], [["eu a"], ["eu a", "eu b!x"]]);
      await on.put(dependent("a", 2), dependent("b!x", 2, "db!sql"));
      assert.deepEqual([await found('"db!sql"'), await found("sw1")], [["eu b!x"], []]);
    },
  );

  rule(
    "[RM8] times sort oldest first, after rows without one; names ignore case, a host precedes its services",
    async (on) => {
      await on.put(
        rowFor("eu", "c", { lastCheckAtMs: 2, lastChangeAtMs: 9 }),
        rowFor("eu", "b!x", { lastCheckAtMs: 1, lastChangeAtMs: 9 }),
        rowFor("eu", "B", { lastChangeAtMs: 3 }),
      );
      assert.deepEqual(await on.refs({ sort: { by: "lastCheck", reverse: false } }), ["eu B", "eu b!x", "eu c"]);
      assert.deepEqual(await on.refs({ sort: { by: "lastCheck", reverse: true } }), ["eu c", "eu b!x", "eu B"]);
      assert.deepEqual(await on.refs({ sort: { by: "lastChange", reverse: false } }), ["eu B", "eu b!x", "eu c"]);
      assert.deepEqual(await on.refs({ sort: { by: "name", reverse: false } }), ["eu B", "eu b!x", "eu c"]);
    },
  );

  rule("[RM9] pages have no gaps or repeats, and stay valid while rows are added and removed", async (on) => {
    const names = Array.from({ length: 23 }, (_, at) => `h${String(at).padStart(2, "0")}`);
    await on.put(...names.map((name, at) => rowFor("eu", name, { status: at % 3 === 0 ? "critical" : "ok" })));
    for (const by of ["severity", "name", "lastChange", "lastCheck"] as const)
      for (const reverse of [false, true]) {
        const query = { sort: { by, reverse } };
        assert.deepEqual(await on.pages({ ...query, pageSize: 5 }), await on.refs(query));
        assert.deepEqual(await on.pages({ ...query, pageSize: 23 }), await on.refs(query));
      }
    const first = await on.status({ ...sortedByName, pageSize: 5 });
    await on.drop("eu", "h04", 2);
    await on.put(rowFor("eu", "h00a"), rowFor("eu", "h05a"));
    const second = await on.status({ ...sortedByName, pageSize: 3, pageToken: first.nextPageToken });
    assert.deepEqual(refsOf(second), ["eu h05", "eu h05a", "eu h06"]);
  });

  rule("[RM30] rows that move during a walk over pages are on one of them, in every order", async (on) => {
    const names = Array.from({ length: 30 }, (_, at) => `h${String(at).padStart(2, "0")}`);
    const rowAt = (name: string, at: number, revision: number) =>
      rowFor("eu", name, {
        revision,
        status: at % 3 === 0 ? "critical" : "ok",
        ...{ lastChangeAtMs: at * 10, lastCheckAtMs: at * 10 },
      });
    let revision = 1;
    for (const by of ["severity", "name", "lastChange", "lastCheck"] as const)
      for (const reverse of [false, true]) {
        await on.put(...names.map((name, at) => rowAt(name, at, ++revision)));
        const query = { sort: { by, reverse }, pageSize: 4 };
        const seen = new Set<string>();
        let pageToken = "";
        for (let page = 0; page === 0 || pageToken !== ""; page++) {
          const answer = await on.status({ ...query, pageToken });
          assert.ok(answer.rows.length <= query.pageSize);
          for (const ref of refsOf(answer)) seen.add(ref);
          pageToken = answer.nextPageToken;
          // Each page moves two rows from the end of the order to its beginning, and two the other way.
          const moved = [29 - page, page].filter((at) => at >= 0 && at < names.length);
          await on.put(...moved.map((at) => rowAt(names[at] ?? "", 29 - at, ++revision)));
        }
        assert.equal(seen.size, names.length, `${by} ${reverse}`);
      }
  });

  rule(
    "[RM22] a page begins at an offset after its token, and a search extends to outputs, or leaves out soft states",
    async (on) => {
      const names = Array.from({ length: 12 }, (_, at) => `h${String(at).padStart(2, "0")}`);
      await on.put(...names.map((name, at) => rowFor("eu", name, { output: at === 7 ? "Disk FULL" : "fine" })));
      for (const pageOffset of [0, 1, 5, 11, 12, 40]) {
        const expected = names.slice(pageOffset, pageOffset + 4).map((name) => `eu ${name}`);
        assert.deepEqual(await on.refs({ ...sortedByName, pageSize: 4, pageOffset }), expected);
      }
      const first = await on.status({ ...sortedByName, pageSize: 5 });
      const page = { pageSize: 2, pageOffset: 3, pageToken: first.nextPageToken };
      assert.deepEqual(await on.refs({ ...sortedByName, ...page }), ["eu h08", "eu h09"]);
      assert.deepEqual(await on.refs({ search: "full" }), []);
      assert.deepEqual(await on.refs({ search: "full", searchOutput: true }), ["eu h07"]);
      assert.deepEqual(await on.refs({ search: "h03", searchOutput: true }), ["eu h03"]);
      assert.deepEqual(await on.refs({ search: "FULL h07 eu", searchOutput: true }), ["eu h07"]);
      assert.deepEqual(await on.refs({ search: "full h03", searchOutput: true }), []);
      await on.put(rowFor("eu", "h03", { revision: 2, status: "critical", stateType: "soft" }));
      const hard = await on.status({ hardOnly: true, problemsOnly: true });
      assert.deepEqual([refsOf(hard), hard.summary.unhandled], [[], 0]);
      assert.equal((await on.refs({ hardOnly: true })).length, names.length - 1);
    },
  );

  rule("[RM21] a row that becomes overdue counts as changed, and the summary counts it", async (on) => {
    await on.put(
      rowFor("eu", "a", { overdueAtMs: 50_000 }),
      rowFor("eu", "b", { overdueAtMs: 90_000 }),
      rowFor("eu", "c"),
    );
    const before = await on.status({ nowMs: 40_000 });
    assert.equal(before.summary.overdue, 0);
    const late = await on.status({ nowMs: 60_000, changedSince: before.revision });
    assert.deepEqual([refsOf(late), late.summary.overdue], [["eu a"], 1]);
    const none = await on.status({ nowMs: 60_000, changedSince: late.revision });
    assert.deepEqual([refsOf(none), none.summary.overdue], [[], 1]);
    assert.equal((await on.status({ nowMs: 60_000, search: "b" })).summary.overdue, 0);
    const listed = await on.status({ nowMs: 60_000, overdueAtMs: 60_000 });
    assert.deepEqual([refsOf(listed), listed.summary.counts[0]?.count], [["eu a"], 1]);
    await on.put(rowFor("eu", "a", { revision: 2, overdueAtMs: 120_000 }));
    const ended = await on.status({ nowMs: 61_000, overdueAtMs: 61_000, changedSince: listed.revision });
    assert.deepEqual(ended.removed, [{ realm: "eu", key: keyOf("a") }]);
    const well = await on.status({ nowMs: 70_000, changedSince: none.revision });
    assert.deepEqual([refsOf(well), well.summary.overdue], [["eu a"], 0]);
    assert.equal((await on.status({ nowMs: 130_000 })).summary.overdue, 2);
  });

  rule("[RM23] a summary, and unknown changes, come without rows where the query says so", async (on) => {
    await on.put(rowFor("eu", "a", { status: "critical" }), rowFor("eu", "b"));
    const summary = await on.status({ summaryOnly: true });
    assert.deepEqual([refsOf(summary), summary.summary.unhandled], [[], 1]);
    await on.put(rowFor("eu", "b", { revision: 2, status: "warning" }));
    const after = await on.status({ summaryOnly: true, changedSince: summary.revision });
    assert.deepEqual([refsOf(after), after.removed, after.full, after.summary.unhandled], [[], [], false, 2]);
    const changes = await on.status({ changesOnly: true, changedSince: summary.revision });
    assert.deepEqual([refsOf(changes), changes.full], [["eu b"], false]);
    const unknown = await on.status({ changesOnly: true, changedSince: "other.1" });
    assert.deepEqual([refsOf(unknown), unknown.full, unknown.summary.unhandled], [[], true, 2]);
    assert.equal(refsOf(await on.status({ changesOnly: true })).length, 2);
  });

  rule("[RM24] the counts of each realm are those of a query for that realm alone", async (on) => {
    await on.put(
      rowFor("eu", "a", { status: "critical", overdueAtMs: 5 }),
      rowFor("eu", "b"),
      rowFor("us", "c", { status: "warning", labels: { tier: "web" } }),
    );
    for (const filter of [{}, { problemsOnly: true }, { selector: selectorOf("tier=web") }, { realm: "eu" }]) {
      const { realmSummaries = [] } = await on.status({ ...filter, byRealm: true, nowMs: 10 });
      for (const { realm, totals } of realmSummaries) {
        const { lastKnown: _, ...alone } = (await on.status({ ...filter, realm, nowMs: 10 })).summary;
        assert.deepEqual(totals, alone, realm);
      }
      const counted = realmSummaries.map(({ realm }) => realm).sort();
      const expected = filter.selector !== undefined ? ["us"] : filter.realm === "eu" ? ["eu"] : ["eu", "us"];
      assert.deepEqual(counted, expected);
    }
  });

  rule(
    "[RM29] labels of the matching rows are counted, the most frequent first, with their worst status",
    async (on) => {
      await on.put(
        rowFor("eu", "a", { status: "critical", labels: { rack: "r1", role: "db" } }),
        rowFor("eu", "b", { status: "warning", labels: { rack: "r1" } }),
        rowFor("us", "c", { status: "warning", labels: { rack: "r2" } }),
        rowFor("us", "d", { labels: { rack: "r2" } }),
      );
      const { labelCounts = [] } = await on.status({ problemsOnly: true, byLabel: true });
      const own = labelCounts.filter(({ key }) => key === "rack" || key === "role");
      assert.deepEqual(
        own.map(({ key, value, count, worst }) => [key, value, count, worst]),
        [
          ["rack", "r1", 2, "critical"],
          ["rack", "r2", 1, "warning"],
          ["role", "db", 1, "critical"],
        ],
      );
      for (const { key, value, count } of labelCounts) {
        const selector = selectorOf(`${key}=${value}`);
        assert.equal(refsOf(await on.status({ problemsOnly: true, selector })).length, count, `${key}=${value}`);
      }
      assert.deepEqual((await on.status({})).labelCounts, []);
    },
  );

  rule("[RM25] acknowledged rows, rows in downtime and rows with a switch turned off are muted", async (on) => {
    const acknowledgement = { author: "a", onBehalfOf: "", comment: "", sticky: true, atMs: 1, expiresAtMs: undefined };
    await on.put(
      rowFor("eu", "a", { status: "critical", handled: true, acknowledgement }),
      rowFor("eu", "b", { inDowntime: true }),
      rowFor("eu", "c", { toggles: { ...allObjectTogglesOn, activeChecks: false } }),
      rowFor("eu", "d"),
    );
    const muted = await on.status({ ...sortedByName, mutedOnly: true });
    assert.deepEqual(refsOf(muted), ["eu a", "eu b", "eu c"]);
    assert.equal(muted.summary.acknowledged, 1);
  });

  rule("[RM26] rows with a downtime of their own are listed, in effect or scheduled", async (on) => {
    const downtime = {
      id: "d1",
      shape: { kind: "fixed" },
      startMs: 1,
      endMs: 2,
      author: "a",
      onBehalfOf: "",
      comment: "c",
    } as const;
    await on.put(
      rowFor("eu", "a", { downtimes: [{ ...downtime, inEffect: true }], inDowntime: true }),
      rowFor("eu", "b", { downtimes: [{ ...downtime, inEffect: false }] }),
      rowFor("eu", "c", { inDowntime: true }),
    );
    const listed = await on.status({ ...sortedByName, withDowntimes: true });
    assert.deepEqual(refsOf(listed), ["eu a", "eu b"]);
  });

  rule("[RM10] an invalid page token is refused as malformed", async (on) => {
    const { nextPageToken } = await on.putThree();
    const sort = { by: "severity", reverse: true } as const;
    for (const query of [{ pageToken: "x" }, { pageToken: "🙈" }, { pageToken: nextPageToken, sort }]) {
      const result = await on.under.model.status({ ...everyRow, ...query });
      assert.ok(!result.ok && result.error.kind === "malformed" && result.error.field === "pageToken");
    }
    const objects = await on.under.model.objects({ ...anyRow, pageSize: 1, pageToken: "W10" });
    const history = await on.under.model.history({ ...allHistory, pageToken: "W10" });
    assert.ok(!objects.ok && !history.ok);
  });

  rule("[RM15] objects are sorted by name, filtered and paged", async (on) => {
    await on.put(rowFor("us", "b"), rowFor("eu", "a!x"), rowFor("eu", "process:c"), rowFor("eu", "a"));
    const page = async (query: object) => {
      const objects = await on.under.model.objects({ ...anyRow, pageSize: 0, pageToken: "", ...query });
      assert.ok(objects.ok);
      return { refs: refsOf(objects.value), next: objects.value.nextPageToken };
    };
    assert.deepEqual((await page({})).refs, ["eu a", "eu a!x", "us b", "eu process:c"]);
    assert.deepEqual((await page({ kinds: ["host"], realm: "eu" })).refs, ["eu a"]);
    assert.deepEqual((await page({ selector: selectorOf("@host=a") })).refs, ["eu a!x"]);
    const first = await page({ pageSize: 3 });
    assert.deepEqual(await page({ pageSize: 3, pageToken: first.next }), { refs: ["eu process:c"], next: "" });
  });
}
