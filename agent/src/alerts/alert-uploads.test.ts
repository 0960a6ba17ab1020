import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReceiverPlan } from "@realmwatch/shared/config/plan";
import type { AuditRecord } from "@realmwatch/shared/model/audit";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok } from "@realmwatch/shared/model/result";
import { alertUploads } from "./alert-uploads.ts";

const receiver: ReceiverPlan = {
  ...{ name: "prom", type: "alertmanager", host: [{ label: "node" }], service: [], tokenDigest: undefined },
  severity: { label: "severity", critical: ["critical"], warning: [] },
};

/** Sends alerts of one host to a receiver whose journal refuses them. */
async function sendTo(refusal: Refusal) {
  const audited: AuditRecord[] = [];
  const counted: string[] = [];
  const uploads = alertUploads({
    clock: manualClock(),
    receivers: () => [receiver],
    keyOf: (ref) => (ref === "web1" ? { kind: "host", name: "web1" } : undefined),
    intake: { submit: async () => fail(refusal) },
    audit: { add: async (record) => void audited.push(record) },
    authenticated: false,
    queries: { startedAtMs: 0, firing: async () => ok([]), rowOf: () => undefined },
    unmapped: () => void counted.push("unmapped"),
    counted: (outcome) => void counted.push(outcome),
  });
  const body = Buffer.from(JSON.stringify([{ labels: { node: "web1" } }, { labels: { node: "web2" } }]));
  const answer = await uploads.handlerOf(
    "/api/v2/alerts",
    "POST",
  )?.({
    query: "",
    headers: {},
    peer: "",
    readBody: async () => ok(body),
    nextTurn: async () => true,
  });
  return { answer, counted, audited: audited.map(({ outcome, reason }) => `${outcome}: ${reason}`) };
}

test("[AR11, AR13] alerts that cannot be stored are answered with a status that says so, audited and not counted", async () => {
  const cases: [refusal: Refusal, status: number, text: string][] = [
    [{ kind: "unavailable", what: "the disk is full" }, 503, "the disk is full"],
    [{ kind: "exhausted", what: "10000 commands are waiting" }, 429, "10000 commands are waiting"],
    [{ kind: "failed" }, 500, "internal error"],
  ];
  for (const [refusal, status, text] of cases) {
    const { answer, counted, audited } = await sendTo(refusal);
    assert.deepEqual([answer?.status, answer?.body], [status, JSON.stringify(text)]);
    assert.deepEqual([counted, audited], [["failed"], [`failed: ${text}`]]);
  }
});
