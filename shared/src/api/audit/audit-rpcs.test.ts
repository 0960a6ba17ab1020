import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { create, type DescMethod, type MessageInitShape } from "@bufbuild/protobuf";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import type { AuditRecord } from "../../model/audit.ts";
import { manualClock } from "../../model/manual-clock.fixture.ts";
import { auditJson } from "./audit-json.ts";
import { anonymousCallLimiter } from "./audit-rate-limiter.ts";

const jsonOf = <M extends DescMethod>(method: M, request: MessageInitShape<M["input"]>) =>
  JSON.parse(auditJson(method, create(method.input, request)));

test("[AU3] a record contains neither passwords nor documents", () => {
  const login = jsonOf(AuthService.method.login, { user: "ann", password: "hunter2" });
  assert.deepEqual(login, { user: "ann", password: "(left out)" });
  const applied = jsonOf(AdminService.method.applyConfig, { cue: 'community: "s3cret"' });
  const hash = createHash("sha256").update('community: "s3cret"').digest("hex");
  assert.deepEqual(applied, { cue: `sha256:${hash} (19 characters)` });
});

test("[AU3] long texts are cut, and only the first of many results are kept", () => {
  const { processCheckResult, processCheckResults, addComment } = CommandService.method;
  const one = jsonOf(processCheckResult, { output: "x".repeat(5_000), longOutput: "ok" });
  assert.equal(one.output, `${"x".repeat(4_096)}… (904 more characters cut)`);
  assert.equal(one.longOutput, "ok");
  const many = jsonOf(processCheckResults, {
    results: Array.from({ length: 10_000 }, () => ({ output: "y".repeat(90) })),
  });
  assert.ok(many.results.length > 10 && many.results.length < 60);
  assert.equal(many.resultsCut, 10_000 - many.results.length);
  assert.equal(jsonOf(processCheckResults, { results: [{ output: "z" }] }).resultsCut, undefined);
  const wrapped = jsonOf(RealmCommandService.method.processCheckResults, {
    realm: "fra",
    request: { results: Array.from({ length: 10_000 }, () => ({ output: "y".repeat(90) })) },
  });
  assert.deepEqual([wrapped.realm, wrapped.request.results.length], ["fra", many.results.length]);
  assert.equal(wrapped.request.resultsCut, many.resultsCut);
  assert.ok(jsonOf(addComment, { text: "😀".repeat(3_000) }).text.isWellFormed());
});

const denied = (peer: string): AuditRecord => ({
  atMs: 1,
  source: "api",
  peer,
  rpc: "/svc.v1.CommandService/AddComment",
  commandJson: "",
  outcome: "denied",
  requestId: "",
  onBehalfOf: "",
  reason: "",
  count: 1,
});

test("[AU4] repeated denied calls of a peer get ten records and one with a count per minute", async () => {
  const clock = manualClock(0);
  const recorded: AuditRecord[] = [];
  const audit = anonymousCallLimiter({ audit: { add: async (record) => void recorded.push(record) }, clock });
  for (let i = 0; i < 25; i++) await audit.add(denied("a"));
  await audit.add(denied("b"));
  for (let i = 0; i < 20; i++) await audit.add({ ...denied("a"), outcome: "rejected" });
  assert.deepEqual([recorded.length, recorded.filter(({ outcome }) => outcome === "denied").length], [31, 11]);
  clock.advance(60_000);
  await audit.add(denied("a"));
  assert.deepEqual(
    recorded.slice(31).map(({ peer, count, atMs }) => [peer, count, atMs]),
    [
      ["a", 15, 60_000],
      ["a", 1, 1],
    ],
  );
  for (let i = 0; i < 12; i++) await audit.add(denied("a"));
  await audit.close();
  assert.equal(recorded.at(-1)?.count, 3);
});

test("[AU4] peers beyond the maximum number of tracked peers count as one", async () => {
  const clock = manualClock(0);
  const recorded: AuditRecord[] = [];
  const audit = anonymousCallLimiter({ audit: { add: async (record) => void recorded.push(record) }, clock });
  for (let i = 0; i < 10_100; i++) await audit.add(denied(`p${i}`));
  await audit.close();
  assert.equal(recorded.length, 10_011);
  assert.deepEqual([recorded.at(-1)?.peer, recorded.at(-1)?.count], ["(many)", 90]);
});

test("[AU2] a call with a time that JSON cannot express is recorded with its numbers", () => {
  const end = { seconds: 2n ** 62n, nanos: -1 };
  const record = jsonOf(CommandService.method.scheduleDowntime, { end, author: "ann" });
  assert.deepEqual([record.end.seconds, record.end.nanos, record.author], [String(end.seconds), -1, "ann"]);
});
