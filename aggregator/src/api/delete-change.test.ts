import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { DeleteDowntimeRequestSchema, DeleteDowntimeResponseSchema } from "@realmwatch/proto/svc/v1/command_pb";
import { RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import { fail, ok } from "@realmwatch/shared/model/result";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import type { Forwarder } from "../forward/forwarder.ts";
import { deleteChange } from "./delete-change.ts";

const downtime: Downtime = {
  ...{ id: "d1", shape: { kind: "fixed" }, startMs: 0, endMs: 1, author: "", onBehalfOf: "" },
  ...{ comment: "", inEffect: true, changeId: "c1" },
};
const names = ["ams", "fra", "nyc"];
const rows = ["ams", "nyc"].map((realm) => rowFor(realm, "h1", { downtimes: [downtime] }));
const model = {
  status: async () => ok({ rows, realms: names.map((name) => ({ name })) }),
} as unknown as Pick<ReadModel, "status">;

/** Deletes a change in realms that answer with a number of objects or with an error. */
function openCentre(answers: Readonly<Record<string, number | ConnectError>>) {
  const keys: (string | undefined)[] = [];
  const forwarder: Forwarder = {
    hasRealm: (realm) => realm in answers,
    async forward(realm, { idempotencyKey }) {
      keys.push(idempotencyKey);
      const answer = answers[realm];
      if (typeof answer !== "number") return fail(answer ?? new ConnectError("no answer", Code.Internal));
      return ok({ message: create(DeleteDowntimeResponseSchema), matched: answer });
    },
  };
  const options = { forwarder: () => forwarder, model, timeoutMs: 5_000, mintKey: () => "minted" };
  const transport = createRouterTransport((router) =>
    router.service(RealmCommandService, {
      deleteDowntime: ({ request }, context) =>
        deleteChange(options, request ?? create(DeleteDowntimeRequestSchema), context),
    }),
  );
  const client = createClient(RealmCommandService, transport);
  return { keys, remove: (request: { changeId: string; downtimeId?: string }) => client.deleteDowntime({ request }) };
}

const none = new ConnectError("none", Code.NotFound);
const away = new ConnectError("away", Code.Unavailable);
const late = new ConnectError("late", Code.DeadlineExceeded);
const cases: readonly (readonly [what: string, answers: Record<string, number | ConnectError>, results: string])[] = [
  ["a realm without downtimes of it has no result", { ams: 3, fra: none, nyc: 2 }, "ams 3 , nyc 2 "],
  ["a realm whose downtimes are newer than the rows has one", { ams: 3, fra: 1, nyc: none }, "ams 3 , fra 1 "],
  [
    "a realm out of reach has one where its rows have it",
    { ams: 3, fra: away, nyc: away },
    "ams 3 , nyc 1 unavailable",
  ],
  ["an unknown outcome is a result", { ams: none, fra: late, nyc: none }, "fra 0 deadline_exceeded"],
  ["a realm that was removed from the configuration is not called", { ams: 3 }, "ams 3 "],
];
for (const [what, answers, expected] of cases)
  test(`[DT16] deleting a change in all realms: ${what}`, async () => {
    const centre = openCentre(answers);
    const { results } = await centre.remove({ changeId: "c1" });
    assert.equal(results.map(({ realm, matched, code }) => `${realm} ${matched} ${code}`).join(", "), expected);
    assert.deepEqual(
      centre.keys,
      Object.keys(answers).map((realm) => `minted:${realm}`),
    );
  });

test("[DT16] a change that no realm has is not found, and with a downtimeId it is malformed", async () => {
  const centre = openCentre({ ams: none, fra: away, nyc: none });
  const code = async (request: { changeId: string; downtimeId?: string }) =>
    centre.remove(request).then(
      () => undefined,
      (error: unknown) => ConnectError.from(error).code,
    );
  assert.equal(await code({ changeId: "c1" }), Code.NotFound);
  assert.equal(await code({ changeId: "c1", downtimeId: "d1" }), Code.InvalidArgument);
});
