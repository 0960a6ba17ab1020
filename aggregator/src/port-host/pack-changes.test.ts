import assert from "node:assert/strict";
import { test } from "node:test";
import { toBinary } from "@bufbuild/protobuf";
import { StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { RowChange } from "@realmwatch/shared/row/row";
import { objectKeyArbitrary, rowArbitrary } from "@realmwatch/shared/row/row-arbitrary.fixture";
import { rowChangeToProto } from "@realmwatch/shared/row/state-row";
import fc from "fast-check";
import { unpackChanges } from "../port/packed-changes.ts";
import { packChanges } from "./pack-changes.ts";

const changeArbitrary: fc.Arbitrary<RowChange> = fc.oneof(
  rowArbitrary.map((row) => ({ kind: "put" as const, row: { ...row, realm: "eu" } })),
  objectKeyArbitrary.map((key) => ({ kind: "drop" as const, realm: "eu", key, epoch: 7, revision: 9 })),
);

test("changes arrive in the port as they were sent, those with a message from the message", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(changeArbitrary, fc.boolean()), { maxLength: 8 }), (all) => {
      const changes = all.map(([change, isFromMessage]) => {
        const message = toBinary(StateRowSchema, rowChangeToProto(change, { realm: "eu", atMs: 1 }));
        return isFromMessage ? { ...change, message } : change;
      });
      const [fromMessages, others] = [true, false].map((side) =>
        all.flatMap(([change, isFromMessage]) => (isFromMessage === side ? [change] : [])),
      );
      const received = unpackChanges(structuredClone(packChanges(changes)));
      assert.deepEqual(received, [...(fromMessages ?? []), ...(others ?? [])]);
    }),
  );
});
