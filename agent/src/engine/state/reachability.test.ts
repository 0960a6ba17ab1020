import assert from "node:assert/strict";
import { test } from "node:test";
import type { Status } from "@realmwatch/shared/model/status";
import { isDownOrUnreachable, parentsState, translateHostStatus } from "./reachability.ts";

test("[RE1] down is critical, unknown or unreachable; a warning host is up", () => {
  const statuses: Status[] = ["ok", "warning", "critical", "unknown", "pending", "unreachable"];
  assert.deepEqual(statuses.filter(isDownOrUnreachable), ["critical", "unknown", "unreachable"]);
});

const rows: [rule: string, own: Status, parents: Status[], translated: Status][] = [
  ["[RE2] without parents down is down", "critical", [], "critical"],
  ["[RE2] one parent up: down is down", "critical", ["critical", "ok"], "critical"],
  ["[RE2] all parents down: unreachable", "critical", ["critical", "unreachable"], "unreachable"],
  ["[RE2] unknown is down too", "unknown", ["unknown"], "unreachable"],
  ["[RE2] a pending parent counts as up", "critical", ["pending"], "critical"],
  ["[RE2] an ok host is up even if its parents are down", "ok", ["critical"], "ok"],
  ["[RE2] a warning host is up", "warning", ["critical"], "warning"],
  ["[RE3] a submitted unreachable is down first", "unreachable", ["ok"], "critical"],
  ["[RE3] a submitted unreachable is unreachable if its parents are down", "unreachable", ["critical"], "unreachable"],
];
for (const [rule, own, parents, translated] of rows)
  test(rule, () => assert.equal(translateHostStatus(own, parentsState(parents)), translated));
