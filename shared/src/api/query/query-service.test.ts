import assert from "node:assert/strict";
import { test } from "node:test";
import { toJson } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createRouterTransport, type Interceptor } from "@connectrpc/connect";
import { ObjectKind, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { HistoryType, ListStatusResponseSchema, QueryService, RealmFreshness } from "@realmwatch/proto/svc/v1/query_pb";
import { muteView, noDeliveries } from "../../model/catalog.ts";
import type { HistoryRecord } from "../../model/history.ts";
import { manualClock } from "../../model/manual-clock.fixture.ts";
import type { RealmView } from "../../model/realm.ts";
import { fail } from "../../model/result.ts";
import type { Identity } from "../../model/role.ts";
import { allProgramTogglesOn } from "../../model/toggles.ts";
import { memoryHistory } from "../../read-model/history/memory-history.ts";
import { memoryReadModel } from "../../read-model/memory-read-model.ts";
import { rowFor } from "../../read-model/read-model.fixture.ts";
import type { ReadModel } from "../../read-model/read-model.ts";
import { callerKey } from "../access/caller.ts";
import { queryService, type ServerInfo } from "./query-service.ts";
import type { RealmQueries } from "./realm-queries.ts";

const agentInfo: ServerInfo = {
  version: "dev",
  authEnabled: false,
  readOnly: false,
  realm: "eu",
  aggregator: false,
  toggles: { ...allProgramTogglesOn, notifications: false },
};

const clock = manualClock(10_000);

const realmView = (name: string, freshness: RealmView["freshness"]): RealmView => ({
  ...{ name, freshness, reachable: freshness !== "unreachable", lastSeenAtMs: undefined, description: "", labels: {} },
  ...{ clockSkewMs: 5, toggles: undefined, behindSinceMs: undefined, rowsHeld: 0, rowsExpected: 0, detail: "" },
  version: "",
});

const clientOf = (model: ReadModel, info: ServerInfo = agentInfo) =>
  createClient(
    QueryService,
    createRouterTransport(({ service }) =>
      service(QueryService, queryService({ model, serverInfo: () => info, clock, realmQueries: {} as RealmQueries })),
    ),
  );

function opened(info?: ServerInfo) {
  const history = memoryHistory({ maxRecords: 5000, findSubject: (realm, key) => model.selectorSubject(realm, key) });
  const model = memoryReadModel({ generation: "g1", history, ownRealm: "eu" });
  model.apply(
    [
      rowFor("", "web1", { labels: { env: "prod" } }),
      rowFor("", "web1!http", { status: "critical", labels: { env: "prod" } }),
      rowFor("", "process:shop", { status: "warning", handled: true }),
    ].map((row) => ({ kind: "put", row })),
  );
  return { model, history, client: clientOf(model, info) };
}

test("[QS1] a status response has rows, a summary and a revision, and realms if there are any", async () => {
  const { model, client } = opened();
  const answer = await client.listStatus({});
  assert.deepEqual(
    answer.rows.map((row) => row.object?.ref.case),
    ["service", "process", "host"],
  );
  assert.equal(answer.summary?.unhandled, 1);
  assert.deepEqual(answer.realms, []);
  const json = toJson(ListStatusResponseSchema, answer) as Record<string, unknown>;
  assert.deepEqual([json.full, json.revision], [false, "g1.3"]);
  model.setRealms(() => [realmView("us", "unreachable")]);
  assert.equal((await client.listStatus({ realm: "us" })).realms[0]?.reachable, false);
});

test("[FD3] rows are marked by the records of the same answer, although the realm changes right after it", async () => {
  const { model, client } = opened();
  let asked = 0;
  model.setRealms(() => [realmView("eu", ++asked % 2 === 1 ? "current" : "behind")]);
  model.apply([{ kind: "put", row: rowFor("eu", "web2") }]);
  const stale = async (): Promise<readonly unknown[]> => {
    const { realms, rows } = await client.listStatus({ search: "web2" });
    return [realms[0]?.freshness, rows.map((row) => row.stale)];
  };
  assert.deepEqual(
    [await stale(), await stale()],
    [
      [RealmFreshness.CURRENT, [false]],
      [RealmFreshness.BEHIND, [true]],
    ],
  );
});

test("[QS2] a filter by an unknown object, realm or label gives no rows and no error", async () => {
  const { client } = opened();
  const unknown = { ref: { case: "host" as const, value: { name: "web9" } } };
  for (const request of [{ object: unknown }, { realm: "mars" }, { selector: "env=none" }, { search: "none" }])
    assert.deepEqual((await client.listStatus(request)).rows, []);
  assert.deepEqual((await client.listHistory({ object: unknown })).records, []);
});

const badStatus: [message: RegExp, request: Parameters<ReturnType<typeof clientOf>["listStatus"]>[0]][] = [
  [/^object: names no host, service or process$/, { object: {} }],
  [/^object\.service\.host: is empty$/, { object: { ref: { case: "service", value: { name: "http" } } } }],
  [/^selector: expected a value .*, at character 4$/, { selector: "env=" }],
  [/^selector: .*blank, at character 0$/, { selector: " " }],
  [/^selector: .* at most 64 requirements, at character 128$/, { selector: `${"x,".repeat(64)}x` }],
  [/^kinds\[1\]: /, { kinds: [ObjectKind.HOST, ObjectKind.UNSPECIFIED] }],
  [/^statuses\[0\]: /, { statuses: [Status.UNSPECIFIED] }],
  [/^sort: is "color"; use one of severity, name, lastChange, lastCheck/, { sort: "color" }],
  [/^sort: is "--name"/, { sort: "--name" }],
  [/^pageSize: is below 0$/, { pageSize: -1 }],
  [/^pageToken: /, { pageSize: 1, pageToken: "made up" }],
  [/^search: is longer than 256/, { search: "x".repeat(257) }],
  [/^at: is in the future$/, { at: { seconds: 10n, nanos: 1_000_000 } }],
  [/^at: cannot be given with changedSince$/, { at: { seconds: 5n, nanos: 0 }, changedSince: "g1.1" }],
  [/^at: is not a time/, { at: { seconds: 2n ** 60n, nanos: 0 } }],
];
for (const [message, request] of badStatus) {
  test(`[QS3] ListStatus refuses ${message.source}`, async () => {
    const { client } = opened();
    await assert.rejects(client.listStatus(request), invalid(message));
  });
}

test("[QS3] ListObjects and ListHistory refuse invalid requests in the same way", async () => {
  const { client } = opened();
  await assert.rejects(
    client.listObjects({ selector: "a b" }),
    invalid(/^selector: expected "," or the end, found "b", at/),
  );
  await assert.rejects(client.listObjects({ pageSize: -5 }), invalid(/^pageSize/));
  await assert.rejects(client.listObjects({ pageToken: "x" }), invalid(/^pageToken/));
  await assert.rejects(client.listHistory({ types: [HistoryType.UNSPECIFIED] }), invalid(/^types\[0\]/));
  await assert.rejects(client.listHistory({ since: { seconds: 2n ** 60n, nanos: 0 } }), invalid(/^since: /));
  await assert.rejects(client.listHistory({ until: { seconds: 0n, nanos: -1 } }), invalid(/^until: /));
  await assert.rejects(client.listHistory({ object: {} }), invalid(/^object: /));
});

test("[QS4] a known revision gives changes only; an unknown one gives all rows", async () => {
  const { model, client } = opened();
  const { revision } = await client.listStatus({});
  model.apply([{ kind: "put", row: rowFor("", "web1", { revision: 2, status: "critical" }) }]);
  model.apply([{ kind: "drop", realm: "", key: { kind: "process", name: "shop" }, epoch: 1, revision: 3 }]);
  const changes = await client.listStatus({ changedSince: revision });
  assert.deepEqual([changes.rows.length, changes.removed.length, changes.full], [1, 1, false]);
  assert.deepEqual(changes.removed[0]?.object?.ref.case, "process");
  const again = await client.listStatus({ changedSince: "unknown" });
  assert.deepEqual([again.rows.length, again.full], [2, true]);
});

test("[QS5] a page of history has 100 records by default and at most 1000", async () => {
  const { history, client } = opened();
  history.add(
    Array.from({ length: 2000 }, (_, at): HistoryRecord => ({ seq: at + 1, realm: "", atMs: at, type: "config" })),
  );
  assert.equal((await client.listHistory({})).records.length, 100);
  assert.equal((await client.listHistory({ pageSize: 2_147_483_647 })).records.length, 1000);
  const first = await client.listHistory({ pageSize: 2 });
  const second = await client.listHistory({ pageSize: 2, pageToken: first.nextPageToken });
  assert.deepEqual(
    [...first.records, ...second.records].map(({ id }) => id),
    ["2000", "1999", "1998", "1997"],
  );
});

test("[QS6] objects have their labels, and catalog entries their realm", async () => {
  const { model, client } = opened();
  const { rows } = await client.listObjects({ kinds: [ObjectKind.HOST] });
  assert.deepEqual(
    rows.map(({ labels, checkType }) => ({ ...labels, checkType })),
    [{ env: "prod", checkType: "tcp" }],
  );
  model.setCatalog({
    realm: "us",
    contacts: [
      {
        ...{ name: "ops", type: "email", labels: {}, notificationPeriod: "", ...noDeliveries, remaining: undefined },
        ...muteView({ contact: "ops", author: "ann", onBehalfOf: "", comment: "", atMs: 1_000, untilMs: undefined }),
      },
    ],
    views: [{ name: "v", selector: "a", description: "", saved: false, author: "" }],
    sinks: [{ name: "s", type: "file", input: "metrics", selector: "" }],
    panels: [{ name: "p", title: "P", unit: "s", selector: "" }],
    slos: [],
    toggles: allProgramTogglesOn,
  });
  const { contacts } = await client.listContacts({});
  assert.deepEqual(
    contacts.map(({ realm, notificationsEnabled, mutedBy }) => [realm, notificationsEnabled, mutedBy]),
    [["us", false, "ann"]],
  );
  assert.equal((await client.listViews({})).views[0]?.realm, "us");
  assert.equal((await client.listSinks({})).sinks[0]?.realm, "us");
  assert.equal((await client.listPanels({})).panels[0]?.realm, "us");
});

test("[QS7] server info describes the program; an aggregator has no toggles", async () => {
  const info = await opened().client.getServerInfo({});
  assert.deepEqual([info.version, info.realm, info.aggregator, info.authEnabled], ["dev", "eu", false, false]);
  assert.deepEqual([info.commit, info.cueVersion], ["unknown", "0.4.3"]);
  assert.deepEqual([info.toggles?.notificationsEnabled, info.toggles?.activeChecksEnabled], [false, true]);
  const central = { ...agentInfo, realm: "", aggregator: true, toggles: undefined };
  assert.equal((await opened(central).client.getServerInfo({})).toggles, undefined);
});

test("[PT48] server info has the warnings that the program gives to the caller", async () => {
  const { model } = opened();
  const asked: (Identity | undefined)[] = [];
  const warnings = (caller: Identity | undefined) => {
    asked.push(caller);
    return ["the port has no TLS"];
  };
  const options = { model, clock, warnings, serverInfo: () => agentInfo, realmQueries: {} as RealmQueries };
  const gate: Interceptor = (next) => (request) => {
    request.contextValues.set(callerKey, { identity: { name: "ann", role: "admin" }, peer: "", requestId: "" });
    return next(request);
  };
  const router = { interceptors: [gate] };
  const transport = createRouterTransport(({ service }) => service(QueryService, queryService(options)), { router });
  assert.deepEqual((await createClient(QueryService, transport).getServerInfo({})).warnings, ["the port has no TLS"]);
  assert.deepEqual(asked, [{ name: "ann", role: "admin" }]);
  assert.deepEqual((await opened().client.getServerInfo({})).warnings, []);
});

test("[QS8] requests return unavailable while the store is unavailable", async () => {
  const away = async () => fail({ kind: "unavailable", what: "redis does not answer" } as const);
  const client = clientOf({ status: away, objects: away, history: away, catalogs: away, realms: away });
  for (const call of [client.listStatus({}), client.listObjects({}), client.listHistory({}), client.listViews({})])
    await assert.rejects(call, (error) => error instanceof ConnectError && error.code === Code.Unavailable);
});

test("[QS9] unsupported methods return unimplemented", async () => {
  const { client } = opened();
  for (const call of [
    client.queryPanel({}),
    client.listObjectMetrics({}),
    client.queryObjectMetric({}),
    client.queryAvailability({}),
  ])
    await assert.rejects(call, (error) => error instanceof ConnectError && error.code === Code.Unimplemented);
});

const invalid = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ConnectError);
  assert.equal(error.code, Code.InvalidArgument);
  assert.match(error.rawMessage, message);
  return true;
};

test("[TM5] a time in the future or together with changedSince is refused; a past time is answered", async () => {
  const { client } = opened();
  const past = { seconds: 5n, nanos: 0 };
  await assert.rejects(client.listStatus({ at: { seconds: 11n, nanos: 0 } }), invalid(/^at: is in the future$/));
  await assert.rejects(client.listStatus({ at: past, changedSince: "g1.1" }), invalid(/^at: cannot be given with/));
  const { rows, revision } = await client.listStatus({ at: past, problemsOnly: true });
  assert.deepEqual([rows.length, revision], [2, ""]);
});
