import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { type ScheduleDowntimeRequest, ScheduleDowntimeResponseSchema } from "@realmwatch/proto/svc/v1/command_pb";
import { type ExecuteRequestSchema, RealmBulkService } from "@realmwatch/proto/svc/v1/realm_pb";
import { fail, ok } from "@realmwatch/shared/model/result";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { matchesSelector } from "@realmwatch/shared/text/selector/selector";
import type { Forwarder } from "../forward/forwarder.ts";
import type { RealmCall } from "../forward/realm-call.ts";
import { bulkService } from "./bulk-service.ts";

const realmNames = Array.from({ length: 20 }, (_, i) => `realm-${String(i).padStart(2, "0")}`);
const rows = realmNames.flatMap((realm) => Array.from({ length: 250 }, (_, i) => rowFor(realm, `h${i}`)));

const model = {
  async objects({ selector, realm }) {
    const found = rows.filter(
      (row) =>
        (realm === "" || row.realm === realm) &&
        (selector === undefined || matchesSelector(selector, { ...row.about, realm: row.realm, status: row.status })),
    );
    return ok({ rows: found, nextPageToken: "", currentRealms: undefined });
  },
  realms: async () => ok([]),
} as Partial<ReadModel> as Pick<ReadModel, "objects" | "realms">;

/** A client of the service over realms that answer when all of them were called. */
function openBulk(answer: (realm: string) => Awaited<ReturnType<Forwarder["forward"]>>) {
  const calls = new Map<string, RealmCall>();
  const all = Promise.withResolvers<void>();
  const forwarder: Forwarder = {
    hasRealm: () => true,
    close() {},
    async forward(realm, call) {
      calls.set(realm, call);
      if (calls.size === realmNames.length) all.resolve();
      await all.promise;
      return answer(realm);
    },
  };
  const transport = createRouterTransport((router) =>
    router.service(
      RealmBulkService,
      bulkService({ forwarder: () => forwarder, model, timeoutMs: 5_000, mintKey: () => "minted" }),
    ),
  );
  const client = createClient(RealmBulkService, transport);
  return { calls, execute: (request: MessageInitShape<typeof ExecuteRequestSchema>) => client.execute(request) };
}

test("[FD30] 5 000 objects in 20 realms: all realms at the same time, each with one selector and a key of its own", async () => {
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
    const { target, author } = message as ScheduleDowntimeRequest;
    assert.deepEqual([idempotencyKey, author, target?.target.value], [`r1:${realm}`, "ann", "@kind=host"]);
  }
});

test("[FD30] a target in the command is ignored, and without a request id a key is minted", async () => {
  const bulk = openBulk(() => ok({ message: create(ScheduleDowntimeResponseSchema, {}), matched: undefined }));
  const target = { target: { case: "selector", value: "@name=other" } } as const;
  await bulk.execute({ selector: "@kind=host", command: { case: "scheduleDowntime", value: { target } } });
  const { idempotencyKey, message } = bulk.calls.get("realm-00") as RealmCall;
  const sent = message as ScheduleDowntimeRequest;
  assert.deepEqual([idempotencyKey, sent.target?.target.value], ["minted:realm-00", "@kind=host"]);
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
  const message = bulk.calls.get("realm-07")?.message as ScheduleDowntimeRequest | undefined;
  const sent = message?.target?.target;
  assert.equal(sent?.case, "objects");
  assert.deepEqual(
    sent.value.objects.map(({ ref }) => ref.value?.name),
    ["h7", "shared"],
  );
  const twice = [...objects.slice(0, 1), ...objects.slice(0, 1)];
  for (const request of [
    { selector: "a=b", objects, command },
    { objects: twice, command },
  ])
    await assert.rejects(bulk.execute(request), (error: ConnectError) => error.code === Code.InvalidArgument);
});
