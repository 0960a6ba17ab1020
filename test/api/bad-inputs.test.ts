import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { create, type DescMethod, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { DurationSchema, TimestampSchema, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  CommandService,
  FlexibleDowntimeSpecSchema,
  ProcessCheckResultsRequestSchema,
  ScheduleDowntimeRequestSchema,
} from "@realmwatch/proto/svc/v1/command_pb";
import { ObjectRefSchema } from "@realmwatch/proto/svc/v1/common_pb";
import { ListHistoryRequestSchema, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { startTestAgent, type TestFlags, type TestProgram, tempFolder } from "../run/processes.ts";
import { sendCommand, statusRows } from "../run/rows.ts";
import { callRaw, grpcFrame, type WireProtocol, wireProtocols } from "./raw-call.ts";

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

const hugeSeconds = 9_223_372_036_854_775_807n;
const start = timestampFromDate(new Date("2030-01-01T00:00:00Z"));
const web1Ref = fromJson(ObjectRefSchema, object);
type Span = { readonly seconds: bigint; readonly nanos?: number };

function downtime(end: Span, duration?: Span): Uint8Array {
  const request = create(ScheduleDowntimeRequestSchema, {
    target: { target: { case: "object", value: web1Ref } },
    start,
    end: create(TimestampSchema, end),
  });
  if (duration !== undefined)
    request.kind = {
      case: "flexible",
      value: create(FlexibleDowntimeSpecSchema, { duration: create(DurationSchema, duration) }),
    };
  return toBinary(ScheduleDowntimeRequestSchema, request);
}

const shortly = { seconds: start.seconds + 60n };
const spanned = (duration: Span): Uint8Array => downtime(shortly, duration);
const since = (at: Span): Uint8Array =>
  toBinary(ListHistoryRequestSchema, create(ListHistoryRequestSchema, { since: create(TimestampSchema, at) }));
const result = (executedAt: Span): Uint8Array =>
  toBinary(
    ProcessCheckResultsRequestSchema,
    create(ProcessCheckResultsRequestSchema, {
      results: [{ object: web1Ref, status: 1, executedAt: create(TimestampSchema, executedAt) }],
    }),
  );

/** Requests that only a binary message can carry. */
const binaryRows: [number: string, method: string, bytes: Uint8Array, code: string | undefined][] = [
  ["B14", "ScheduleDowntime", downtime(shortly), fine],
  ["B14", "ScheduleDowntime", downtime({ ...shortly, nanos: 1_000_000_000 }), bad],
  ["B14", "ScheduleDowntime", downtime({ ...shortly, nanos: -1 }), bad],
  ["B14", "ScheduleDowntime", downtime({ seconds: 253_402_300_800n }), bad],
  ["B14", "ScheduleDowntime", downtime({ seconds: hugeSeconds }), bad],
  ["B14", "ScheduleDowntime", downtime({ seconds: -hugeSeconds }), bad],
  ["B14", "ScheduleDowntime", spanned({ seconds: 5n }), fine],
  ["B14", "ScheduleDowntime", spanned({ seconds: hugeSeconds }), bad],
  ["B14", "ScheduleDowntime", spanned({ seconds: 5n, nanos: 1_000_000_000 }), bad],
  ["B14", "ScheduleDowntime", spanned({ seconds: 5n, nanos: -1 }), bad],
  ["B31", "ScheduleDowntime", downtime({ seconds: start.seconds + 3_153_600_000n }), fine],
  ["B14", "ListHistory", since({ seconds: hugeSeconds }), bad],
  ["B14", "ListHistory", since({ seconds: 0n, nanos: -1 }), bad],
  ["B14", "ProcessCheckResults", result({ seconds: -hugeSeconds }), bad],
  ["B14", "ProcessCheckResults", result({ seconds: 0n, nanos: 2_000_000_000 }), bad],
  ["B15", "ListHistory", Buffer.from([0x38, 0xff, 0xff, 0xff, 0xff, 0x0f]), bad],
];

function methodOf(name: string): DescMethod {
  const method = methods.get(name);
  if (method === undefined) throw new Error(`no method ${name}`);
  return method;
}

type Request = readonly [number: string, method: string, bytes: Uint8Array, code: string | undefined, shown: string];

/** All requests that a wire format can carry, encoded. */
function requestsOf(protocol: WireProtocol): Request[] {
  const encode = (name: string, message: JsonValue): Uint8Array =>
    protocol === "json"
      ? Buffer.from(JSON.stringify(message))
      : toBinary(methodOf(name).input, fromJson(methodOf(name).input, message));
  const written = rows.map(([number, name, message, code]): Request => {
    return [number, name, encode(name, message), code, JSON.stringify(message).slice(0, 120)];
  });
  if (protocol === "json") return written;
  return [...written, ...binaryRows.map((row): Request => [...row, Buffer.from(row[2]).toString("hex")])];
}

const operator = newToken();
const gates = ["open", "identities"] as const;
const agents = new Map<string, TestProgram>();
const scope = fileScope();
before(async () => {
  const check = '{type: "passive", freshness_threshold: "1h", flap: {}}';
  const config = `contacts: ann: {type: "webhook", url: "http://127.0.0.1:9"}\nhosts: web1: {address: "x", check: ${check}}\n`;
  const auth = join(tempFolder(scope, "auth"), "auth.cue");
  writeFileSync(auth, `auth: bot: {role: "operator", token_hash: "${operator.tokenHash}"}\n`);
  const start = (flags: TestFlags) => startTestAgent(scope, { config, flags });
  const [open, gated] = await Promise.all([start({}), start({ "auth-config": auth })]);
  agents.set("open", open).set("identities", gated);
});

for (const gate of gates)
  for (const protocol of wireProtocols)
    test(`[IN1, PT12, PT13] ${protocol}, ${gate}: bad inputs get their codes, and the agent serves on`, async () => {
      const { base } = agents.get(gate) as TestProgram;
      const wrong: string[] = [];
      for (const [number, name, bytes, code, shown] of requestsOf(protocol)) {
        const method = methodOf(name);
        const body = Buffer.from(protocol.startsWith("grpc") ? grpcFrame(bytes) : bytes);
        const path = `/${method.parent.typeName}/${name}`;
        const headers = { authorization: `Bearer ${operator.token}` };
        const answer = await callRaw(base, path, { protocol, body, headers });
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

const target = '"target":{"object":{"host":{"name":"web1"}}}';
const nested = (levels: number, [open, inner, close]: readonly [string, string, string]): string =>
  open.repeat(levels) + inner + close.repeat(levels);

/** Bodies that only JSON can carry, by what is wrong (B02, B04). Those of AddComment would add a comment "bad". */
const jsonBodies: readonly (readonly [what: string, method: string, body: string])[] = [
  ...['"x"', '""', "5", "-0", "1e400", "true", "null", "NaN", "Infinity", "-Infinity", "[]", "[{}]", ""].flatMap(
    (body) => ["AddComment", "ListStatus"].map((method) => [`the body ${body}`, method, body] as const),
  ),
  ["a key twice", "AddComment", `{${target},"author":"a","text":"good","text":"bad"}`],
  ["a key twice with one value", "AddComment", `{${target},"author":"a","text":"bad","text":"bad"}`],
  ["a key twice, null at last", "AddComment", `{${target},"author":"a","text":"bad","author":null}`],
  ["a key twice, once escaped", "AddComment", `{${target},"author":"a","text":"good","te\\u0078t":"bad"}`],
  ["an object twice", "AddComment", `{${target},${target},"author":"a","text":"bad"}`],
  [
    "a nested key twice",
    "AddComment",
    '{"target":{"object":{"host":{"name":"web2","name":"web1"}}},"author":"a","text":"bad"}',
  ],
  ["a field in both spellings", "DeleteComment", '{"commentId":"a","comment_id":"b"}'],
  ["a key twice in a list", "ProcessCheckResults", '{"results":[{"status":"STATUS_OK","status":"STATUS_WARNING"}]}'],
  ["two fields of one choice", "ScheduleCheck", '{"target":{"object":{"host":{"name":"web1"}},"selector":"a=b"}}'],
  ["NaN as a text", "AddComment", `{${target},"author":"a","text":NaN}`],
  ["Infinity as a number", "ListHistory", '{"pageSize":Infinity}'],
  ["the text NaN as a number", "ListHistory", '{"pageSize":"NaN"}'],
  ["a key without quotes", "AddComment", `{${target},"author":"a",text:"bad"}`],
  ["a comma at the end", "AddComment", `{${target},"author":"a","text":"bad",}`],
  ["lists in a text", "AddComment", `{${target},"author":"a","text":${nested(100_000, ["[", "", "]"])}}`],
  ["objects in a target", "AddComment", `{"target":${nested(90_000, ['{"object":', "1", "}"])},"text":"bad"}`],
  ["lists as the body", "AddComment", nested(100_000, ["[", "", "]"])],
  ["objects that do not end", "AddComment", '{"target":'.repeat(50_000)],
];

for (const type of ["application/json", "application/grpc-web+json"])
  test(`[IN1, IN2] ${type}: bodies that are not a message are refused and have no effect`, async () => {
    const { base } = agents.get("open") as TestProgram;
    const wrong: string[] = [];
    for (const [what, name, text] of jsonBodies) {
      const isFramed = type.startsWith("application/grpc");
      const body = Buffer.from(isFramed ? grpcFrame(Buffer.from(text)) : Buffer.from(text));
      const path = `/${methodOf(name).parent.typeName}/${name}`;
      const protocol = isFramed ? "grpc-web" : "json";
      const { code, message } = await callRaw(base, path, { protocol, body, headers: { "content-type": type } });
      if (code !== bad || message === "") wrong.push(`${name}, ${what}: ${code} ${message.slice(0, 100)}`);
    }
    assert.deepEqual(wrong, []);
    const text = `after ${type}`;
    assert.equal((await sendCommand(base, "AddComment", { target: web1, author: "a", text })).code, "");
    const comments = await until("a comment that follows is there", async () => {
      const texts = ((await statusRows(base))["web1"]?.comments ?? []).map((comment) => comment.text);
      return texts.includes(text) ? texts : undefined;
    });
    assert.deepEqual(
      comments.filter((each) => !each.startsWith("after ")),
      [],
    );
  });

for (const protocol of wireProtocols)
  test(`[CM3] ${protocol}: \`enabled\` left out is false`, async () => {
    const { base } = agents.get("open") as TestProgram;
    const switchBy = async (name: string, message: JsonValue): Promise<void> => {
      const { input, parent } = methodOf(name);
      const binary = toBinary(input, fromJson(input, message));
      const body = protocol === "json" ? JSON.stringify(message) : protocol === "proto" ? binary : grpcFrame(binary);
      const answer = await callRaw(base, `/${parent.typeName}/${name}`, { protocol, body: Buffer.from(body) });
      assert.equal(answer.code, "ok", `${name}: ${answer.message}`);
    };
    const switches = [
      ["SetProgramNotifications", {}],
      ["SetObjectNotifications", { target: web1 }],
      ["SetContactNotifications", { contact: "ann" }],
      ["SetProgramToggle", { toggle: "PROGRAM_TOGGLE_EVENT_HANDLERS" }],
      ["SetObjectToggle", { target: web1, toggle: "OBJECT_TOGGLE_EVENT_HANDLER" }],
    ] as const;
    for (const isOn of [false, true]) {
      for (const [name, message] of switches) await switchBy(name, isOn ? { ...message, enabled: true } : message);
      await until(`all five are ${isOn}`, async () => {
        const read = async (name: string) => (await call(base, `QueryService/${name}`, {})).body;
        const { rows } = (await read("ListStatus")) as { rows: Record<string, unknown>[] };
        const { toggles } = (await read("GetServerInfo")) as { toggles: Record<string, unknown> };
        const { contacts } = (await read("ListContacts")) as { contacts: Record<string, unknown>[] };
        return [
          ...[rows[0]?.["notificationsEnabled"], rows[0]?.["eventHandlerEnabled"]],
          ...[toggles["notificationsEnabled"], toggles["eventHandlersEnabled"], contacts[0]?.["notificationsEnabled"]],
        ].every((each) => each === isOn);
      });
    }
  });

for (const protocol of wireProtocols)
  test(`[DT6, DT12] ${protocol}: a downtime is triggered by one of the same object, not by a deleted one`, async () => {
    const { base } = agents.get("open") as TestProgram;
    const codeOf = async (name: string, message: JsonValue): Promise<string> => {
      const { input, parent } = methodOf(name);
      const binary = toBinary(input, fromJson(input, message));
      const body = protocol === "json" ? JSON.stringify(message) : protocol === "proto" ? binary : grpcFrame(binary);
      return (await callRaw(base, `/${parent.typeName}/${name}`, { protocol, body: Buffer.from(body) })).code;
    };
    const first = await sendCommand(base, "ScheduleDowntime", { target: web1, ...times });
    const id = String((first.body["downtimeIds"] as string[])[0]);
    const triggered = { target: web1, ...times, triggered: { triggeredBy: id } };
    assert.equal(await codeOf("ScheduleDowntime", triggered), "ok");
    assert.equal(await codeOf("DeleteDowntime", { downtimeId: id }), "ok");
    await until("the trigger is gone", async () => (await codeOf("ScheduleDowntime", triggered)) === "not_found");
    assert.equal(await codeOf("DeleteDowntime", { downtimeId: id }), "not_found");
  });
