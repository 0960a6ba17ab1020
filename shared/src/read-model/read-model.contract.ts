import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSelector, type Selector } from "../text/selector.ts";
import type { Catalog } from "../words/catalog.ts";
import type { HistoryRecord } from "../words/history.ts";
import { keyOf, refOf } from "../words/object-key.ts";
import type { RealmView } from "../words/realm.ts";
import type { Labels, Row, RowChange } from "../words/row.ts";
import { allObjectTogglesOn, allProgramTogglesOn } from "../words/toggles.ts";
import type { HistoryQuery, ReadModel, StatusAnswer, StatusQuery } from "./read-model.ts";
import { anyRow } from "./row-filter.ts";

/** A model under test and the side that writes it. All of an opened model's state is its own. */
export type ReadModelUnderTest = {
  readonly model: ReadModel;
  apply(changes: readonly RowChange[]): Promise<void>;
  dropRealmRowsBelow(realm: string, epoch: number): Promise<void>;
  setCatalog(catalog: Catalog): Promise<void>;
  setRealms(realms: readonly RealmView[]): Promise<void>;
  record(records: readonly HistoryRecord[]): Promise<void>;
  close(): Promise<void>;
};

/** The realms of the contract and their labels, which their objects have beneath their own. */
export const contractRealmLabels: Readonly<Record<string, Labels>> = { eu: { region: "west", tier: "any" }, us: {} };

/** A healthy row of a realm's object by its reference, for tests; `change` says what is different. */
export function rowFor(realm: string, ref: string, change: Partial<Row> & { labels?: Labels } = {}): Row {
  const { labels = {}, ...different } = change;
  const key = keyOf(ref);
  return {
    about: {
      key,
      labels,
      parents: [],
      checkType: key.kind === "process" ? "" : "tcp",
      rule: key.kind === "process" ? '{"ref":"web1"}' : "",
      zone: "default",
      checkPeriod: "",
      notificationPeriod: "",
    },
    realm,
    epoch: 1,
    revision: 1,
    status: "ok",
    stateType: "hard",
    attempt: 1,
    maxAttempts: 1,
    lastHardStatus: "ok",
    output: "",
    longOutput: "",
    perfdata: [],
    lastCheckAtMs: undefined,
    nextCheckAtMs: undefined,
    lastChangeAtMs: undefined,
    lastHardChangeAtMs: undefined,
    latencyMs: undefined,
    executionMs: undefined,
    checkSource: "",
    flapping: false,
    flapValue: 0,
    acknowledgement: undefined,
    downtimes: [],
    inDowntime: false,
    comments: [],
    toggles: allObjectTogglesOn,
    notification: undefined,
    suppressedBy: [],
    handled: false,
    ...different,
  };
}

/** The query without any wish: everything, worst first. */
export const everyRow: StatusQuery = {
  ...anyRow,
  sort: { by: "severity", reverse: false },
  pageSize: 0,
  pageToken: "",
  changedSince: "",
  atMs: undefined,
};
/** The query without any wish: everything, newest first. */
export const allHistory: HistoryQuery = {
  key: undefined,
  selector: undefined,
  realm: "",
  types: [],
  sinceMs: undefined,
  untilMs: undefined,
  pageSize: 100,
  pageToken: "",
};
const byName = { sort: { by: "name", reverse: false } } as const;

/** What every ReadModel promises, whatever it is made of. Each implementation's test is one call. */
export function readModelContract(name: string, open: () => Promise<ReadModelUnderTest>): void {
  const rule = (sentence: string, prove: (on: Bench) => Promise<void>) =>
    test(`${name}: ${sentence}`, async () => {
      const under = await open();
      try {
        await prove(benchOf(under));
      } finally {
        await under.close();
      }
    });

  rule("[RM1] the greater (epoch, revision) stands, in whatever order versions come", async (on) => {
    const version = (epoch: number, revision: number) =>
      rowFor("eu", "web1", { epoch, revision, output: `${epoch}.${revision}` });
    await on.put(version(2, 1), version(1, 9), version(2, 3), version(2, 2), version(2, 3));
    assert.deepEqual(
      (await on.status()).rows.map((row) => row.output),
      ["2.3"],
    );
    await on.put(version(3, 1));
    assert.deepEqual(
      (await on.status()).rows.map((row) => row.output),
      ["3.1"],
    );
  });

  rule("[RM2] a dropped object stays away until a newer version comes", async (on) => {
    await on.put(rowFor("eu", "web1", { revision: 5 }));
    await on.drop("eu", "web1", 4);
    assert.deepEqual(await on.refs(), ["eu web1"], "an older drop changes nothing");
    await on.drop("eu", "web1", 5);
    await on.put(rowFor("eu", "web1", { revision: 5 }));
    assert.deepEqual(await on.refs(), []);
    await on.put(rowFor("eu", "web1", { revision: 6 }));
    assert.deepEqual(await on.refs(), ["eu web1"]);
    await on.drop("us", "gone", 7);
    await on.put(rowFor("us", "gone", { revision: 6 }));
    assert.deepEqual(await on.refs(), ["eu web1"], "a drop may come before its row");
  });

  rule("[RM3] rows of a realm below an epoch go, and none of them comes back", async (on) => {
    await on.put(rowFor("eu", "old"), rowFor("eu", "new", { epoch: 2 }), rowFor("us", "old"));
    await on.under.dropRealmRowsBelow("eu", 2);
    await on.put(rowFor("eu", "late", { revision: 9 }), rowFor("eu", "old", { revision: 9 }));
    assert.deepEqual(await on.refs(), ["eu new", "us old"]);
    await on.put(rowFor("eu", "old", { epoch: 2 }));
    assert.deepEqual(await on.refs(), ["eu new", "eu old", "us old"]);
  });

  rule("[RM4] a row is given as it was put, with its realm's labels beneath its own", async (on) => {
    const row = rowFor("eu", "web1!http", {
      labels: { tier: "front" },
      status: "critical",
      lastCheckAtMs: 5,
      flapValue: 0.5,
    });
    await on.put(row);
    const labels = { region: "west", tier: "front" };
    assert.deepEqual((await on.status()).rows, [{ ...row, about: { ...row.about, labels } }]);
    assert.deepEqual(await on.refs({ selector: selector("region=west,tier=front,@realm=eu") }), ["eu web1!http"]);
  });

  rule("[RM5] each filter leaves out what it says, and all of them have to hold", async (on) => {
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
      [{ selector: selector("env=prod") }, ["eu web1", "eu web1!http"]],
      [{ selector: selector("@host=web1,@status!=pending") }, ["eu web1!SSH", "eu web1!http"]],
      [{ selector: selector("@host in (web1,web2),@realm=us") }, ["us web1!http"]],
      [{ selector: selector("!@host") }, ["eu web1", "us process:shop"]],
      [{ selector: selector("env=prod"), problemsOnly: true, realm: "eu", kinds: ["host"] }, []],
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

  rule("[RM6] the summary counts all that matches, whatever the page", async (on) => {
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
    };
    assert.deepEqual((await on.status({ pageSize: 1 })).summary, expected);
    assert.deepEqual((await on.status({ selector: selector("!nothing"), pageSize: 1 })).summary, expected);
    await on.put(rowFor("eu", "a", { revision: 2 }));
    await on.drop("eu", "b", 2);
    const { summary } = await on.status();
    assert.deepEqual([summary.counts[0]?.count, summary.unhandled, summary.acknowledged], [2, 0, 0]);
  });

  rule("[RM7] severity puts unhandled problems first, then handled ones, worst first, then names", async (on) => {
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
    );
    const order = ["eu d", "us d", "eu e", "eu f", "eu g", "eu h", "eu i", "eu j", "eu a", "eu a!z", "eu B", "eu k"];
    assert.deepEqual(await on.refs({ sort: { by: "severity", reverse: false } }), order);
    assert.deepEqual(await on.refs({ sort: { by: "severity", reverse: true } }), [...order].reverse());
  });

  rule(
    "[RM8] times sort oldest first and never before all; names without case, a host before its services",
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

  rule("[RM9] pages follow each other without gap or repeat, and hold while rows come and go", async (on) => {
    const names = Array.from({ length: 23 }, (_, at) => `h${String(at).padStart(2, "0")}`);
    await on.put(...names.map((name, at) => rowFor("eu", name, { status: at % 3 === 0 ? "critical" : "ok" })));
    for (const by of ["severity", "name", "lastChange", "lastCheck"] as const)
      for (const reverse of [false, true]) {
        const query = { sort: { by, reverse } };
        assert.deepEqual(await on.pages({ ...query, pageSize: 5 }), await on.refs(query));
        assert.deepEqual(await on.pages({ ...query, pageSize: 23 }), await on.refs(query));
      }
    const first = await on.status({ ...byName, pageSize: 5 });
    await on.drop("eu", "h04", 2);
    await on.put(rowFor("eu", "h00a"), rowFor("eu", "h05a"));
    const second = await on.status({ ...byName, pageSize: 3, pageToken: first.nextPageToken });
    assert.deepEqual(refsOf(second), ["eu h05", "eu h05a", "eu h06"]);
  });

  rule("[RM10] a page token that is none is malformed", async (on) => {
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

  rule("[RM11] changedSince gives what changed and matches, and names what is gone or matches no more", async (on) => {
    await on.put(...["a", "b", "c", "d"].map((ref) => rowFor("eu", ref, { status: "critical" })));
    const { revision } = await on.status({ problemsOnly: true });
    const idle = await on.status({ problemsOnly: true, changedSince: revision });
    assert.deepEqual([idle.rows, idle.removed, idle.full, idle.summary.unhandled], [[], [], false, 4]);
    await on.put(rowFor("eu", "a", { revision: 2 }), rowFor("eu", "b", { status: "warning", revision: 2 }));
    await on.drop("eu", "c", 2);
    const news = await on.status({ problemsOnly: true, changedSince: revision, pageSize: 1 });
    assert.deepEqual(refsOf(news), ["eu b"]);
    assert.deepEqual(removedOf(news), ["eu a", "eu c"]);
    assert.deepEqual([news.full, news.nextPageToken, news.summary.unhandled], [false, "", 2]);
    const later = await on.status({ problemsOnly: true, changedSince: news.revision });
    assert.deepEqual([later.rows, later.removed], [[], []]);
  });

  rule("[RM12] an object that went and came back is a row and not removed", async (on) => {
    await on.put(rowFor("eu", "a"));
    const { revision } = await on.status();
    await on.drop("eu", "a", 2);
    await on.put(rowFor("eu", "a", { revision: 3 }));
    const news = await on.status({ changedSince: revision });
    assert.deepEqual([refsOf(news), removedOf(news)], [["eu a"], []]);
  });

  rule("[RM13] a replayed version is no change", async (on) => {
    await on.put(rowFor("eu", "a", { revision: 2 }));
    const { revision } = await on.status();
    await on.put(rowFor("eu", "a", { revision: 2 }), rowFor("eu", "a"));
    assert.deepEqual((await on.status({ changedSince: revision })).rows, []);
  });

  rule("[RM14] a revision of another process gives everything again, unpaged", async (on) => {
    await on.put(rowFor("eu", "a"), rowFor("eu", "b"), rowFor("us", "c"));
    const { revision } = await on.status();
    for (const changedSince of ["x", "0.0", "9999999999999.5", `${revision}0`, `${revision}x`, "🙈"]) {
      const answer = await on.status({ changedSince, pageSize: 1, realm: "eu" });
      assert.deepEqual([answer.full, refsOf(answer), answer.removed], [true, ["eu a", "eu b"], []], changedSince);
    }
    assert.equal((await on.status()).full, false, "only with changedSince");
  });

  rule("[RM15] objects come by name, filtered and paged", async (on) => {
    await on.put(rowFor("us", "b"), rowFor("eu", "a!x"), rowFor("eu", "process:c"), rowFor("eu", "a"));
    const page = async (query: object) => {
      const objects = await on.under.model.objects({ ...anyRow, pageSize: 0, pageToken: "", ...query });
      assert.ok(objects.ok);
      return { refs: refsOf(objects.value), next: objects.value.nextPageToken };
    };
    assert.deepEqual((await page({})).refs, ["eu a", "eu a!x", "us b", "eu process:c"]);
    assert.deepEqual((await page({ kinds: ["host"], realm: "eu" })).refs, ["eu a"]);
    assert.deepEqual((await page({ selector: selector("@host=a") })).refs, ["eu a!x"]);
    const first = await page({ pageSize: 3 });
    assert.deepEqual(await page({ pageSize: 3, pageToken: first.next }), { refs: ["eu process:c"], next: "" });
  });

  rule("[RM16] history is newest first, each place of a realm's history once", async (on) => {
    await on.under.record([event("eu", 1, 10), event("us", 1, 15), event("eu", 2, 20), event("us", 2, 20)]);
    await on.under.record([event("eu", 2, 20), event("eu", 1, 10)]);
    assert.deepEqual(await on.events(), ["us 2", "eu 2", "us 1", "eu 1"]);
    assert.deepEqual(await on.events({ realm: "eu" }), ["eu 2", "eu 1"]);
    assert.deepEqual(await on.events({ sinceMs: 15, untilMs: 20 }), ["us 1"]);
    assert.deepEqual(await on.events({ realm: "mars" }), []);
  });

  rule("[RM17] history of an object, a selection or some types, page by page", async (on) => {
    await on.put(rowFor("eu", "a", { labels: { env: "prod" } }), rowFor("eu", "b"));
    await on.under.record([
      event("eu", 1, 1),
      { ...event("eu", 2, 2), key: keyOf("a"), type: "state" },
      { ...event("eu", 3, 3), key: keyOf("b"), type: "state" },
      { ...event("eu", 4, 4), key: keyOf("a"), type: "notification", contact: "ops", level: 0 },
      { ...event("eu", 5, 5), key: keyOf("gone"), type: "state" },
    ]);
    assert.deepEqual(await on.events({ key: keyOf("a") }), ["eu 4", "eu 2"]);
    assert.deepEqual(await on.events({ selector: selector("env=prod") }), ["eu 4", "eu 2"]);
    assert.deepEqual(await on.events({ types: ["state", "config"] }), ["eu 5", "eu 3", "eu 2", "eu 1"]);
    const first = await on.history({ pageSize: 2 });
    await on.under.record([event("eu", 6, 6)]);
    const second = await on.history({ pageSize: 2, pageToken: first.nextPageToken });
    const third = await on.history({ pageSize: 2, pageToken: second.nextPageToken });
    assert.deepEqual([first, second, third].flatMap(eventsOf), ["eu 5", "eu 4", "eu 3", "eu 2", "eu 1"]);
    assert.equal(third.nextPageToken, "");
    assert.equal((await on.history({ pageSize: 6 })).nextPageToken, "", "a full last page is the last one");
  });

  rule("[RM18] a catalog replaces its realm's earlier one; realms are given as they are now", async (on) => {
    const catalog = (realm: string, name: string): Catalog => ({
      realm,
      contacts: [],
      views: [{ name, selector: "a", description: "" }],
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
    };
    await on.under.setRealms([realm]);
    assert.deepEqual(await on.under.model.realms(), { ok: true, value: [realm] });
    await on.under.setRealms([{ ...realm, reachable: true }]);
    assert.deepEqual(await on.under.model.realms(), { ok: true, value: [{ ...realm, reachable: true }] });
  });

  rule("[TM2] rows of an instant are what was recorded around it, each realm by its own history", async (on) => {
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
      (await on.status({ ...byName, atMs })).rows.map(
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
    assert.deepEqual(await on.refs({ key: keyOf("web1"), atMs: 55, ...byName }), ["eu web1", "us web1"]);
  });
}

type Bench = ReturnType<typeof benchOf>;

function benchOf(under: ReadModelUnderTest) {
  const put = (...rows: Row[]) => under.apply(rows.map((row) => ({ kind: "put", row })));
  const status = async (query: Partial<StatusQuery> = {}) => {
    const answer = await under.model.status({ ...everyRow, ...query });
    assert.ok(answer.ok, JSON.stringify(answer));
    return answer.value;
  };
  const history = async (query: Partial<HistoryQuery> = {}) => {
    const answer = await under.model.history({ ...allHistory, ...query });
    assert.ok(answer.ok, JSON.stringify(answer));
    return answer.value;
  };
  return {
    under,
    put,
    status,
    history,
    drop: (realm: string, ref: string, revision: number) =>
      under.apply([{ kind: "drop", realm, key: keyOf(ref), epoch: 1, revision }]),
    refs: async (query: Partial<StatusQuery> = byName) => refsOf(await status(query)),
    events: async (query: Partial<HistoryQuery> = {}) => eventsOf(await history(query)),
    async pages(query: Partial<StatusQuery>) {
      const refs: string[] = [];
      let pageToken = "";
      do {
        const answer = await status({ ...query, pageToken });
        refs.push(...refsOf(answer));
        pageToken = answer.nextPageToken;
      } while (pageToken !== "");
      return refs;
    },
    async putThree() {
      await put(rowFor("eu", "a"), rowFor("eu", "b"), rowFor("eu", "c"));
      return status({ pageSize: 1 });
    },
  };
}

const refsOf = ({ rows }: Pick<StatusAnswer, "rows">) => rows.map((row) => `${row.realm} ${refOf(row.about.key)}`);
const removedOf = ({ removed }: StatusAnswer) => removed.map(({ realm, key }) => `${realm} ${refOf(key)}`).sort();
const eventsOf = ({ records }: { records: readonly HistoryRecord[] }) =>
  records.map(({ realm, seq }) => `${realm} ${seq}`);
const event = (realm: string, seq: number, atMs: number): HistoryRecord => ({ realm, seq, atMs, type: "config" });

function selector(text: string): Selector {
  const parsed = parseSelector(text);
  assert.ok(parsed.ok, text);
  return parsed.value;
}
