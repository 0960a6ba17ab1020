import assert from "node:assert/strict";
import { test } from "node:test";
import { notifiesAnn } from "../fixtures/test-realm.fixture.ts";
import {
  assertSameByReloadAndRestart,
  bothContacts,
  planOf,
  type ReloadCase,
  sendDown,
  sendUp,
  webHost,
} from "./reload.fixture.ts";

const rows: readonly ReloadCase[] = [
  {
    name: "a contact is removed after it was notified of a problem",
    before: planOf([webHost], bothContacts),
    after: planOf([webHost], { ...bothContacts, ...notifiesAnn }),
    act: sendDown,
    later: sendUp,
    notified: ["ann RECOVERY web"],
    history: ["state web ok hard 1", "notification_queued web RECOVERY ann"],
  },
  {
    name: "a disabled contact is removed, and enabled when it is added again",
    before: planOf([webHost], bothContacts),
    after: planOf([webHost], notifiesAnn),
    async act(it) {
      await it.command({ kind: "set_contact_notifications", contact: "bea", enabled: false });
    },
    async later(it) {
      assert.deepEqual(it.realm.program.mutes, []);
    },
    notified: [],
    history: [],
  },
  {
    name: "the policy is removed after a problem was notified",
    before: planOf([webHost]),
    after: planOf([{ ...webHost, policy: "" }]),
    act: sendDown,
    later: sendUp,
    notified: [],
    history: ["state web ok hard 1", "notification_suppressed web RECOVERY no_policy"],
  },
  {
    name: "a policy is added to an object with a problem",
    before: planOf([{ ...webHost, policy: "" }]),
    after: planOf([webHost]),
    act: sendDown,
    notified: ["ann PROBLEM web"],
    history: ["notification_queued web PROBLEM ann"],
  },
];

for (const row of rows)
  test(`[RL7-RL9] by a reload and by a restart: ${row.name}`, () => assertSameByReloadAndRestart(row));
