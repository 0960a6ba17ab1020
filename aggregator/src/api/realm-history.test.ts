import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createContextValues, type HandlerContext } from "@connectrpc/connect";
import { HistoryType, ListHistoryRequestSchema, ListHistoryResponseSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { ok } from "@realmwatch/shared/model/result";
import { allHistory } from "@realmwatch/shared/read-model/read-model.fixture";
import { askRealmHistory, type RealmHistoryOptions } from "./realm-history.ts";

/** Asks a realm for the records of an author; it answers with one record of `author`. */
const ask = (author: string) => {
  const record = { id: "1", at: timestampFromMs(1), type: HistoryType.NOTE, author };
  const message = create(ListHistoryResponseSchema, { records: [record], nextPageToken: "older" });
  const forwarder = { hasRealm: () => true, forward: async () => ok({ message, matched: 0 }) };
  return askRealmHistory("fra", {
    options: { forwarder: () => forwarder, timeoutMs: 5_000 } as unknown as RealmHistoryOptions,
    query: { ...allHistory, actor: "ann" },
    before: undefined,
    request: create(ListHistoryRequestSchema, { actor: "ann" }),
    context: { values: createContextValues() } as HandlerContext,
  });
};

test("[RM33] records of a realm that answers without regard to the search are not taken for found", async () => {
  const answer = await ask("bea");
  assert.match(JSON.stringify(answer), /"kind":"unavailable".*cannot search history/);
  const found = await ask("ann");
  assert.ok(found.ok);
  assert.deepEqual([found.value.records.length, found.value.hasMore], [1, true]);
});
