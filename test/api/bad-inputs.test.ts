import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type DescMethod, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { startTestAgent, type TestFlags, type TestProgram, tempFolder } from "../run/processes.ts";
import { callRaw, grpcFrame, wireProtocols } from "./raw-call.ts";

const methods = new Map<string, DescMethod>(
  [...CommandService.methods, ...QueryService.methods].map((method) => [method.name, method]),
);
const host = (name: string): JsonValue => ({ object: { host: { name } } });
const web1 = host("web1");
const object = { host: { name: "web1" } };
const long = (length: number): string => "x".repeat(length);

const times = { start: "2030-01-01T00:00:00Z", end: "2030-01-01T01:00:00Z" };
const [bad, none, full, fine] = ["invalid_argument", "not_found", "resource_exhausted", "ok"];

/** Requests that every protocol can carry, by their number in the catalogue of bad inputs. */
const rows: [number: string, method: string, message: JsonValue, code: string | undefined][] = [
  ["B02", "ListStatus", { statuses: [999] }, bad],
  ["B02", "ListStatus", { kinds: [999] }, bad],
  ["B02", "ListHistory", { types: [999] }, bad],
  ["B02", "ProcessCheckResult", { object: { host: { name: "web1" } }, status: 999 }, bad],
  ["B02", "SetProgramToggle", { toggle: 999, enabled: true }, bad],
  ["B02", "SetObjectToggle", { target: web1, toggle: 999, enabled: true }, bad],
  ["B05", "ScheduleCheck", { target: { selector: "" } }, bad],
  ["B05", "ScheduleCheck", { target: { selector: "!" } }, bad],
  ["B05", "ScheduleCheck", { target: { selector: '@host="web1' } }, bad],
  ["B05", "ScheduleCheck", { target: { selector: long(4_097) } }, bad],
  ["B05", "ScheduleCheck", { target: { selector: Array.from({ length: 65 }, (_, n) => `a${n}=1`).join(",") } }, bad],
  ["B05", "ScheduleCheck", { target: { selector: "app=none" } }, none],
  ["B05", "ListStatus", { selector: "@kind=host" }, fine],
  ["B05", "ListObjects", { selector: "(".repeat(4_000) }, bad],
  ["B05", "ListStatus", { selector: "((((((((" }, bad],
  ["B08", "ProcessCheckResults", { results: [] }, bad],
  ["B08", "ProcessCheckResults", { results: [{ object: { host: { name: "web1" } }, status: "STATUS_OK" }, {}] }, bad],
  ["B14", "ScheduleDowntime", { target: web1 }, bad],
  ["B14", "ScheduleDowntime", { target: web1, start: times.start }, bad],
  ["B14", "ScheduleDowntime", { target: web1, start: times.end, end: times.start }, bad],
  ["B14", "ScheduleDowntime", { target: web1, start: times.start, end: times.start }, bad],
  ["B08", "ProcessCheckResults", { results: Array(2).fill({ object, status: "STATUS_OK" }) }, fine],
  ["B08", "ProcessCheckResults", { results: Array(10_001).fill({ object, status: "STATUS_OK" }) }, bad],
  ["B11", "ScheduleDowntime", { target: web1, ...times, flexible: { duration: "-5s" } }, bad],
  ["B11", "ScheduleDowntime", { target: web1, ...times, flexible: { duration: "0s" } }, bad],
  ["B14", "ListHistory", { since: "9999-12-31T23:59:59Z" }, fine],
  ["B14", "ListHistory", { since: "0001-01-01T00:00:00Z", until: "1969-12-31T23:59:59.999999999Z" }, fine],
  ["B15", "ListHistory", { pageSize: 0 }, fine],
  ["B15", "ListHistory", { pageSize: 1_001 }, fine],
  ["B15", "ListHistory", { pageSize: -1 }, bad],
  ["B15", "ListHistory", { pageSize: 2_147_483_647 }, fine],
  ["B15", "ListHistory", { pageToken: "x" }, bad],
  ["B15", "ListStatus", { pageSize: 1, pageToken: "W10" }, bad],
  ["B15", "ListStatus", { changedSince: "not a revision" }, fine],
  ["B15", "ListStatus", { sort: "nope" }, bad],
  ["B15", "ListStatus", { realm: "nope", search: "__proto__" }, fine],
  ["B16", "ScheduleCheck", {}, bad],
  ["B16", "ScheduleCheck", { target: {} }, bad],
  ["B16", "ScheduleCheck", { target: { object: {} } }, bad],
  ["B16", "ScheduleCheck", { target: host("") }, bad],
  ["B16", "ScheduleCheck", { target: { object: { service: { name: "http" } } } }, bad],
  ["B16", "ScheduleCheck", { target: host(long(10_000)) }, none],
  ["B16", "ScheduleCheck", { target: host("a/b;c*'\"!") }, none],
  ["B03", "ScheduleCheck", { target: host("web1\n") }, bad],
  ["B03", "ScheduleCheck", { target: host("web1\u0000") }, bad],
  ["B03", "ScheduleCheck", { target: host("web\u202e1") }, bad],
  ["B03", "ScheduleCheck", { target: host("web\u20281") }, bad],
  ["B03", "ScheduleCheck", { target: host("we\u0301b1") }, bad],
  ["B03", "ScheduleCheck", { target: host("__proto__") }, none],
  ["B17", "DeleteDowntime", { downtimeId: "none" }, none],
  ["B17", "DeleteComment", { commentId: "" }, bad],
  ["B17", "ScheduleDowntime", { target: web1, ...times, triggered: { triggeredBy: "none" } }, none],
  ["B17", "ScheduleDowntime", { target: web1, ...times, flexible: {} }, bad],
  ["B06", "AddComment", { target: web1, author: "a", text: long(65_536) }, full],
  ["B06", "AddComment", { target: web1, author: long(40_000), text: long(40_000) }, full],
  ["B16", "AddComment", { target: { selector: "@kind=host" }, text: "x" }, bad],
  ["B16", "ProcessCheckResult", { object: { host: { name: "web1" } }, status: "STATUS_PENDING" }, bad],
  ["B16", "ProcessCheckResult", { object: { host: { name: "web1" } } }, bad],
];

const operator = newToken();
const gates = ["open", "identities"] as const;
const agents = new Map<string, TestProgram>();
const cleanups: (() => void | Promise<void>)[] = [];
before(async () => {
  const check = '{type: "passive", freshness_threshold: "1h", flap: {}}';
  const config = `hosts: web1: {address: "x", check: ${check}}\n`;
  const scope = { after: (cleanup: () => void | Promise<void>) => void cleanups.push(cleanup) };
  const auth = join(tempFolder(scope, "auth"), "auth.cue");
  writeFileSync(auth, `auth: bot: {role: "operator", token_hash: "${operator.tokenHash}"}\n`);
  const start = (flags: TestFlags) => startTestAgent(scope, { config, flags });
  const [open, gated] = await Promise.all([start({}), start({ "auth-config": auth })]);
  agents.set("open", open).set("identities", gated);
});
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

for (const gate of gates)
  for (const protocol of wireProtocols)
    test(`[IN1, PT12, PT13] ${protocol}, ${gate}: bad inputs get their codes, and the agent serves on`, async () => {
      const { base } = agents.get(gate) as TestProgram;
      const wrong: string[] = [];
      for (const [number, name, message, code] of rows) {
        const method = methods.get(name);
        assert.ok(method !== undefined, name);
        const binary =
          protocol === "json"
            ? Buffer.from(JSON.stringify(message))
            : toBinary(method.input, fromJson(method.input, message));
        const body = Buffer.from(protocol.startsWith("grpc") ? grpcFrame(binary) : binary);
        const path = `/${method.parent.typeName}/${name}`;
        const headers = { authorization: `Bearer ${operator.token}` };
        const answer = await callRaw(base, path, { protocol, body, headers });
        const shown = JSON.stringify(message).slice(0, 120);
        if (answer.code !== code)
          wrong.push(`${number} ${name} ${shown}: ${answer.code} ${answer.message.slice(0, 100)}`);
        if (gate === "open") continue;
        const refused = await callRaw(base, path, { protocol, body });
        if (refused.code !== "unauthenticated")
          wrong.push(`${number} ${name} ${shown} without a token: ${refused.code}`);
      }
      assert.deepEqual(wrong, []);
      assert.equal((await fetch(`${base}/healthz`)).status, 200);
    });
