import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { type ScheduleDowntimeRequest, ScheduleDowntimeResponseSchema } from "@realmwatch/proto/svc/v1/command_pb";
import { type ExecuteRequestSchema, RealmBulkService } from "@realmwatch/proto/svc/v1/realm_pb";
import { fail, ok } from "@realmwatch/shared/model/result";
import { textFiles } from "@realmwatch/shared/platform/files/text-files";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { selectorSubjectOf } from "@realmwatch/shared/read-model/rows/row-filter";
import type { Row } from "@realmwatch/shared/row/row";
import { matchesSelector } from "@realmwatch/shared/text/selector/selector";
import type { Forwarder } from "../forward/forwarder.ts";
import type { RealmCall } from "../forward/realm-call.ts";
import { bulkSelections, selectionLimits } from "./bulk-selections.ts";
import { bulkService } from "./bulk-service.ts";

const realmNames = Array.from({ length: 20 }, (_, i) => `realm-${String(i).padStart(2, "0")}`);
const allRows = realmNames.flatMap((realm) => Array.from({ length: 250 }, (_, i) => rowFor(realm, `h${i}`)));

const folder = mkdtempSync(join(tmpdir(), "realmwatch-bulk-"));
after(() => rmSync(folder, { recursive: true }));
let opened = 0;

const modelOf = (rows: readonly Row[]): Pick<ReadModel, "objects"> => ({
  async objects({ selector }) {
    const found = rows.filter(
      (row) => selector === undefined || matchesSelector(selector, selectorSubjectOf(row, { ownRealm: "" })),
    );
    return ok({ rows: found, nextPageToken: "", currentRealms: undefined });
  },
});

type BulkTestOptions = {
  readonly rows?: readonly Row[];
  /** Folder of the selections. */
  readonly selections?: string;
  /** Number of realms that are called before any of them answers. */
  readonly called?: number;
};

/** A client of the service over realms that answer when all of them were called. */
function openBulk(
  answer: (realm: string) => Awaited<ReturnType<Forwarder["forward"]>>,
  { rows = allRows, selections = String(++opened), called = realmNames.length }: BulkTestOptions = {},
) {
  const calls = new Map<string, RealmCall>();
  const sent: RealmCall[] = [];
  const all = Promise.withResolvers<void>();
  const forwarder: Forwarder = {
    hasRealm: () => true,
    async forward(realm, call) {
      calls.set(realm, call);
      sent.push(call);
      if (calls.size === called) all.resolve();
      await all.promise;
      return answer(realm);
    },
  };
  const transport = createRouterTransport((router) =>
    router.service(
      RealmBulkService,
      bulkService({
        forwarder: () => forwarder,
        model: modelOf(rows),
        selections: bulkSelections(
          textFiles({ folder: join(folder, selections), limits: selectionLimits, clock: systemClock }),
        ),
        timeoutMs: 5_000,
        mintKey: () => "minted",
      }),
    ),
  );
  const client = createClient(RealmBulkService, transport);
  return { calls, sent, execute: (request: MessageInitShape<typeof ExecuteRequestSchema>) => client.execute(request) };
}

/** Names of the hosts that a forwarded command is for. */
function sentTo(message: unknown): readonly (string | undefined)[] {
  const target = (message as ScheduleDowntimeRequest).target?.target;
  assert.equal(target?.case, "objects");
  return target.value.objects.map(({ ref }) => ref.value?.name);
}

test("[FD30] 5 000 objects in 20 realms: all realms at the same time, each with its objects and a key of its own", async () => {
  const bulk = openBulk((realm) =>
    realm === "realm-07"
      ? fail(new ConnectError("no answer", Code.DeadlineExceeded))
      : ok({ message: create(ScheduleDowntimeResponseSchema, { downtimeIds: [`d-${realm}`] }), matched: 250 }),
  );
  const command = { case: "scheduleDowntime", value: { author: "ann", comment: "move" } } as const;
  const { results } = await bulk.execute({ selector: "@kind=host", command, requestId: "r1" });
  assert.deepEqual(
    results.map(({ realm, matched, code }) => [realm, matched, code]),
    realmNames.map((realm) => [realm, 250, realm === "realm-07" ? "deadline_exceeded" : ""]),
  );
  for (const [realm, { idempotencyKey, message }] of bulk.calls) {
    assert.deepEqual([idempotencyKey, sentTo(message).length], [`r1:${realm}`, 250]);
    assert.equal((message as ScheduleDowntimeRequest).author, "ann");
  }
});

test("[FD30] a target in the command is ignored, and without a request id a key is minted", async () => {
  const bulk = openBulk(() => ok({ message: create(ScheduleDowntimeResponseSchema, {}), matched: undefined }));
  const target = { target: { case: "selector", value: "@name=other" } } as const;
  await bulk.execute({ selector: "@name in (h0,h1)", command: { case: "scheduleDowntime", value: { target } } });
  const { idempotencyKey, message } = bulk.calls.get("realm-00") as RealmCall;
  assert.deepEqual([idempotencyKey, sentTo(message)], ["minted:realm-00", ["h0", "h1"]]);
});

test("[CM2] a list of objects goes to each realm with its own objects, and not beside a selector", async () => {
  const bulk = openBulk(() => ok({ message: create(ScheduleDowntimeResponseSchema, {}), matched: undefined }));
  const host = (name: string) => ({ ref: { case: "host", value: { name } } }) as const;
  const objects = realmNames.map((realm, at) => ({ realm, objects: [host(`h${at}`), host("shared")] }));
  const command = { case: "acknowledgeProblem", value: { comment: "known" } } as const;
  const { results } = await bulk.execute({ objects, command });
  assert.deepEqual(
    results.map(({ realm, matched, code }) => [realm, matched, code]),
    realmNames.map((realm) => [realm, 2, ""]),
  );
  assert.deepEqual(sentTo(bulk.calls.get("realm-07")?.message), ["h7", "shared"]);
  const twice = [...objects.slice(0, 1), ...objects.slice(0, 1)];
  for (const request of [
    { selector: "a=b", objects, command },
    { objects: twice, command },
  ])
    await assert.rejects(bulk.execute(request), (error: ConnectError) => error.code === Code.InvalidArgument);
});

test("[CM2] a list of very many realms is refused at once", async () => {
  const bulk = openBulk(() => ok({ message: create(ScheduleDowntimeResponseSchema, {}), matched: undefined }));
  const command = { case: "acknowledgeProblem", value: { comment: "known" } } as const;
  const objects = Array.from({ length: 150_000 }, (_, at) => ({ realm: at.toString(36) }));
  await assert.rejects(bulk.execute({ objects, command }), (error: ConnectError) => {
    assert.deepEqual(
      [error.code, error.rawMessage],
      [Code.ResourceExhausted, "objects: names 150000 realms; at most 10000 are allowed"],
    );
    return true;
  });
  assert.equal(bulk.calls.size, 0);
});

test("[FD30] a realm that denies the command, or is unknown, does not keep the others from it", async () => {
  const bulk = openBulk((realm) => {
    if (realm === "realm-03") return fail(new ConnectError("role operator is required", Code.PermissionDenied));
    if (realm === "realm-04") return fail({ kind: "missing", what: "realm realm-04" });
    return ok({ message: create(ScheduleDowntimeResponseSchema, {}), matched: 1 });
  });
  const host = { ref: { case: "host", value: { name: "h1" } } } as const;
  const objects = realmNames.map((realm) => ({ realm, objects: Array.from({ length: 50 }, () => host) }));
  const { results } = await bulk.execute({ objects, command: { case: "scheduleCheck", value: {} } });
  const codes = new Map(results.map(({ realm, code }) => [realm, code]));
  assert.deepEqual([codes.get("realm-03"), codes.get("realm-04")], ["permission_denied", "not_found"]);
  assert.equal([...codes.values()].filter((code) => code === "").length, realmNames.length - 2);
});

const accepted = () => ok({ message: create(ScheduleDowntimeResponseSchema, {}), matched: undefined });
const critical = (realm: string, name: string): Row => ({ ...rowFor(realm, name), status: "critical" });
const bulkDowntime = {
  selector: "@status=critical",
  command: { case: "scheduleDowntime", value: { author: "ann", comment: "move" } },
  requestId: "r1",
} as const;

test("[FD95] a repeat after recoveries goes to the objects of the first call, also by another process", async () => {
  const first = openBulk(
    (realm) => (realm === "ams" ? fail({ kind: "unavailable", what: 'realm "ams"' } as const) : accepted()),
    { rows: [critical("ams", "db1"), critical("fra", "web1"), rowFor("fra", "web2")], selections: "repeat", called: 2 },
  );
  assert.deepEqual(
    (await first.execute(bulkDowntime)).results.map(({ realm, code }) => [realm, code]),
    [
      ["ams", "unavailable"],
      ["fra", ""],
    ],
  );
  const recovered = { rows: [rowFor("fra", "web1"), critical("fra", "web2")], selections: "repeat", called: 2 };
  const second = openBulk(accepted, recovered);
  assert.deepEqual(
    (await second.execute(bulkDowntime)).results.map(({ realm, matched, code }) => [realm, matched, code]),
    [
      ["ams", 1, ""],
      ["fra", 1, ""],
    ],
  );
  assert.deepEqual([...second.calls.values()].map(({ message }) => sentTo(message)).sort(), [["db1"], ["web1"]]);
  for (const [realm, { message, idempotencyKey }] of second.calls)
    assert.deepEqual({ message, idempotencyKey }, withoutSignal(first.calls.get(realm)));
});

const withoutSignal = (call: RealmCall | undefined) => ({
  message: call?.message,
  idempotencyKey: call?.idempotencyKey,
});

test("[FD95] a request that matched nothing is not_found again, and the id of another request is refused", async () => {
  const none = { rows: [], selections: "refused", called: 1 };
  const notFound = (error: ConnectError) =>
    error.code === Code.NotFound && /^selector: no object matches "/.test(error.rawMessage);
  await assert.rejects(openBulk(accepted, none).execute(bulkDowntime), notFound);
  const later = openBulk(accepted, { ...none, rows: [critical("fra", "web1")] });
  await assert.rejects(later.execute(bulkDowntime), notFound);
  const others: MessageInitShape<typeof ExecuteRequestSchema>[] = [
    { ...bulkDowntime, selector: "@status=warning" },
    { ...bulkDowntime, command: { case: "scheduleDowntime", value: { author: "bob", comment: "move" } } },
  ];
  for (const other of others)
    await assert.rejects(
      later.execute(other),
      (error: ConnectError) => error.code === Code.InvalidArgument && error.message.includes("requestId"),
    );
  assert.equal(later.calls.size, 0);
});

test("[FD95] a command whose selection cannot be stored is unavailable and reaches no realm", async () => {
  writeFileSync(join(folder, "blocked"), "");
  const bulk = openBulk(accepted, { rows: [critical("fra", "web1")], selections: "blocked", called: 1 });
  await assert.rejects(bulk.execute(bulkDowntime), (error: ConnectError) => error.code === Code.Unavailable);
  assert.equal(bulk.calls.size, 0);
});

test("[FD96] a selector that matches too many objects is refused as a whole", async () => {
  const rows = Array.from({ length: 100_000 }, (_, at) => critical("fra", `h${at}`));
  const bulk = openBulk(accepted, { rows: [critical("ams", "db1"), ...rows], called: 1 });
  await assert.rejects(
    bulk.execute(bulkDowntime),
    (error: ConnectError) =>
      error.code === Code.ResourceExhausted && error.message.includes("matches 100001 objects; a command takes"),
  );
  assert.equal(bulk.calls.size, 0);
});

test("[CM2] a realm gets 12 000 objects in two commands of one change, and the result is that of both", async () => {
  const rows = Array.from({ length: 12_000 }, (_, at) => critical("fra", `h${at}`));
  const downtime = (id: string) =>
    ok({ message: create(ScheduleDowntimeResponseSchema, { downtimeIds: [id] }), matched: undefined });
  let answers = 0;
  const bulk = openBulk(() => downtime(`d${++answers}`), { rows, called: 1 });
  const { results } = await bulk.execute(bulkDowntime);
  assert.deepEqual(
    results.map(({ realm, matched, code, downtimeIds }) => ({ realm, matched, code, downtimeIds })),
    [{ realm: "fra", matched: 12_000, code: "", downtimeIds: ["d1", "d2"] }],
  );
  assert.deepEqual(
    bulk.sent.map(({ idempotencyKey, message }) => [
      idempotencyKey,
      sentTo(message).length,
      (message as ScheduleDowntimeRequest).changeId,
    ]),
    [
      ["r1:fra", 10_000, "r1"],
      ["r1-1:fra", 2_000, "r1"],
    ],
  );
  answers = 0;
  const refusing = openBulk(
    () => (++answers === 2 ? fail({ kind: "unavailable", what: "disk" } as const) : downtime("d")),
    { rows, called: 1 },
  );
  const [refused] = (await refusing.execute(bulkDowntime)).results;
  assert.deepEqual([refused?.code, refused?.matched], ["unavailable", 12_000]);
});
