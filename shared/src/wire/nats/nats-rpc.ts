import { base64Decode, base64Encode } from "@bufbuild/protobuf/wire";
import { fail, ok, type Result } from "../../model/result.ts";

/**
 * Maximum body of one NATS message of an RPC, bytes. An RPC to a realm is a request on `svc.v1.rpc.<realm>` and a
 * response on its reply subject. A larger body is sent in several messages of the same subject and reply subject, in
 * order, each with the header `part: <n>/<of>`; the other headers are on the first one. The reply subject distinguishes
 * the parts of two RPCs, so every RPC needs its own.
 */
export const natsRpcPartBytes = 512 * 1024;

/** Maximum body of an RPC, bytes; the same as over HTTP. */
export const maxNatsRpcBytes = 64 * 1024 * 1024;

/** Request of an RPC over NATS. */
export type NatsRpcRequest = {
  /** Service and method: `svc.v1.CommandService/AddComment`. */
  readonly method: string;
  /** Complete value of the header (`Bearer …`), or empty. */
  readonly authorization: string;
  /** Identifies the call in both audit logs; when empty, the realm generates one. */
  readonly requestId: string;
  /** Timeout of the caller, ms; relative, because the clocks of two sites differ. 0 means none. */
  readonly timeoutMs: number;
  /** Deadline on the monotonic clock of the agent's process `instance`, ms since its start; undefined for none. */
  readonly deadlineUptimeMs?: number | undefined;
  /** Key by which a repeat of a command is recognised; empty for none. */
  readonly idempotencyKey?: string | undefined;
  /** Realm that is called. */
  readonly realm?: string | undefined;
  /** Id of the agent's process that is called. Undefined when it is unknown. */
  readonly instance?: string | undefined;
  /** The request message as protobuf. */
  readonly body: Uint8Array;
};

/** Response of an RPC that arrives by another transport than the port. */
export type DispatchedResponse = {
  /** `ok`, or the name of a Connect code such as `not_found`. */
  readonly code: string;
  /** Error message; empty when the code is `ok`, as is `details`. */
  readonly message: string;
  /** Error details as in Connect: full name and protobuf encoding of a message. */
  readonly details: readonly { readonly type: string; readonly value: Uint8Array }[];
  /** The response message as protobuf; empty unless the code is `ok`. */
  readonly body: Uint8Array;
  /** Number of objects that a command's target matched; undefined for other calls. */
  readonly matched?: number | undefined;
  /** DocumentChange of ApplyConfig as JSON (header `x-realmwatch-document-change`); undefined for other calls than ApplyConfig. */
  readonly documentChange?: string | undefined;
};

/** Content of one NATS message. Header names are lower case, values have no line breaks. */
export type NatsRpcPart = { readonly headers: Readonly<Record<string, string>>; readonly data: Uint8Array };

/** Headers that a receiver passes to `natsRpcAssembler`, since NATS libraries read headers by name. */
export const natsRpcHeaders = [
  "method",
  "authorization",
  "request-id",
  "timeout-ms",
  "x-realmwatch-deadline-uptime",
  "idempotency-key",
  "x-realmwatch-realm",
  "x-realmwatch-instance",
  "code",
  "x-realmwatch-matched",
  "x-realmwatch-document-change",
  "part",
] as const;

const utf8 = new TextEncoder();
const fatalUtf8 = new TextDecoder("utf-8", { fatal: true });

/** Encodes a request as messages in the order to send. Never empty. */
export const encodeNatsRequest = (call: NatsRpcRequest): readonly NatsRpcPart[] =>
  cut(call.body, {
    method: call.method,
    "timeout-ms": String(Math.max(0, Math.floor(call.timeoutMs))),
    ...(call.authorization === "" ? {} : { authorization: call.authorization }),
    ...(call.requestId === "" ? {} : { "request-id": call.requestId }),
    ...(call.deadlineUptimeMs === undefined
      ? {}
      : { "x-realmwatch-deadline-uptime": String(Math.max(0, Math.floor(call.deadlineUptimeMs))) }),
    ...(call.idempotencyKey ? { "idempotency-key": call.idempotencyKey } : {}),
    ...(call.realm ? { "x-realmwatch-realm": call.realm } : {}),
    ...(call.instance ? { "x-realmwatch-instance": call.instance } : {}),
  });

/** Encodes a response as messages in the order to send. Never empty. */
export const encodeNatsResponse = (answer: DispatchedResponse): readonly NatsRpcPart[] =>
  cut(answer.code === "ok" ? answer.body : errorBody(answer), {
    code: answer.code,
    ...(answer.matched === undefined ? {} : { "x-realmwatch-matched": String(answer.matched) }),
    ...(answer.documentChange === undefined ? {} : { "x-realmwatch-document-change": answer.documentChange }),
  });

function cut(body: Uint8Array, headers: Readonly<Record<string, string>>): readonly NatsRpcPart[] {
  const of = Math.ceil(body.length / natsRpcPartBytes);
  if (of <= 1) return [{ headers, data: body }];
  return Array.from({ length: of }, (_, i) => ({
    headers: { ...(i === 0 ? headers : {}), part: `${i + 1}/${of}` },
    data: body.subarray(i * natsRpcPartBytes, (i + 1) * natsRpcPartBytes),
  }));
}

/** Reassembled request or response: the headers of the first part and the bytes of all parts. */
export type NatsRpcMessage = { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array };

export type NatsRpcAssembler = {
  /** Adds a part. Returns the whole message after the last part, undefined before. An error is permanent. */
  add(part: NatsRpcPart): Result<NatsRpcMessage | undefined, string>;
  /** Number of buffered bytes. */
  bytes(): number;
};

/** Assembles the parts of one request or response. Parts out of order, or of more than `maxBytes`, are an error. */
export function natsRpcAssembler(maxBytes: number = maxNatsRpcBytes): NatsRpcAssembler {
  const taken: Uint8Array[] = [];
  let first: NatsRpcPart | undefined;
  let of = 0;
  let bytes = 0;
  return {
    bytes: () => bytes,
    add(part) {
      const position = parsePartHeader(part.headers.part);
      if (!position || position.n !== taken.length + 1 || (first && position.of !== of))
        return fail("parts out of order");
      bytes += part.data.length;
      if (bytes > maxBytes) return fail(`larger than ${maxBytes} bytes`);
      first ??= part;
      of = position.of;
      taken.push(part.data);
      return ok(taken.length < of ? undefined : { headers: first.headers, body: joined(taken, bytes) });
    },
  };
}

function parsePartHeader(text: string | undefined): { n: number; of: number } | undefined {
  if (text === undefined || text === "") return { n: 1, of: 1 };
  const found = /^(\d{1,6})\/(\d{1,6})$/.exec(text);
  return found ? { n: Number(found[1]), of: Number(found[2]) } : undefined;
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  if (parts.length === 1 && parts[0]) return parts[0];
  const body = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

/** Decodes a request. The error is a sentence for the caller. */
export function decodeNatsRequest({ headers, body }: NatsRpcMessage): Result<NatsRpcRequest, string> {
  const method = headers.method ?? "";
  if (!/^[\w.]+\/\w+$/.test(method)) return fail("header method: want service/method");
  const timeout = headers["timeout-ms"] ?? "0";
  if (!/^\d{1,9}$/.test(timeout)) return fail("header timeout-ms: want a number of milliseconds");
  const deadline = headers["x-realmwatch-deadline-uptime"];
  if (deadline !== undefined && !/^\d{1,15}$/.test(deadline))
    return fail("header x-realmwatch-deadline-uptime: want a number of milliseconds");
  const key = headers["idempotency-key"];
  const realm = headers["x-realmwatch-realm"];
  const instance = headers["x-realmwatch-instance"];
  return ok({
    method,
    authorization: headers.authorization ?? "",
    requestId: headers["request-id"] ?? "",
    timeoutMs: Number(timeout),
    ...(deadline === undefined ? {} : { deadlineUptimeMs: Number(deadline) }),
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(realm === undefined ? {} : { realm }),
    ...(instance === undefined ? {} : { instance }),
    body,
  });
}

/** Decodes a response. The error describes an invalid response; it is then unknown whether the call took effect. */
export function decodeNatsResponse({ headers, body }: NatsRpcMessage): Result<DispatchedResponse, string> {
  const code = headers.code;
  const matched = headers["x-realmwatch-matched"];
  const counted = matched !== undefined && /^\d{1,9}$/.test(matched) ? { matched: Number(matched) } : {};
  const change = headers["x-realmwatch-document-change"];
  const reported = { ...counted, ...(change !== undefined && { documentChange: change }) };
  if (code === "ok") return ok({ code, message: "", details: [], body, ...reported });
  if (code === undefined || !/^[a-z_]{1,40}$/.test(code)) return fail("a response without a code");
  return readErrorBody(code, body);
}

const errorBody = ({ message, details }: DispatchedResponse): Uint8Array =>
  utf8.encode(
    JSON.stringify({
      message,
      details: details.map((d) => ({ type: d.type, value: base64Encode(d.value, "std_raw") })),
    }),
  );

function readErrorBody(code: string, body: Uint8Array): Result<DispatchedResponse, string> {
  try {
    const { message, details } = JSON.parse(fatalUtf8.decode(body)) as {
      message: string;
      details: { type: string; value: string }[];
    };
    return ok({
      code,
      message: String(message),
      details: details.map(({ type, value }) => ({ type: String(type), value: base64Decode(value) })),
      body: new Uint8Array(),
    });
  } catch {
    return fail(`a response of code ${code} with an invalid error body`);
  }
}
