import { base64Decode, base64Encode } from "@bufbuild/protobuf/wire";
import { fail, ok, type Result } from "../../model/result.ts";

/**
 * How one call of a realm's API travels over NATS: a request on `svc.v1.rpc.<realm>`, its answer to the
 * request's reply subject. A body above `rpcPartBytes` goes in several messages of the same subject and reply
 * subject, in order, each with the header `part: <n>/<of>`; the other headers are on the first one. The reply
 * subject is what tells the parts of two calls apart, so every call needs a reply subject of its own.
 */
export const natsRpcPartBytes = 512 * 1024;

/** Any call is refused above this, as over HTTP: bytes of body. */
export const maxNatsRpcBytes = 64 * 1024 * 1024;

/** A call. */
export type NatsRpcRequest = {
  /** Service and method: `svc.v1.CommandService/AddComment`. */
  readonly method: string;
  /** The header's whole value (`Bearer …`), or empty. */
  readonly authorization: string;
  /** Names the call in both audits; empty lets the realm choose. */
  readonly requestId: string;
  /** How long the caller waits, ms from now: a span, because the clocks of two sites differ. 0 means not said. */
  readonly timeoutMs: number;
  /** The request message as protobuf. */
  readonly body: Uint8Array;
};

/** A detail of an error, as Connect has it: a message's full name and its protobuf. */
export type NatsRpcErrorDetail = { readonly type: string; readonly value: Uint8Array };

/** An answer: `code` is `ok`, or the name of a Connect code such as `not_found`. */
export type NatsRpcResponse = {
  readonly code: string;
  /** Both empty where `code` is `ok`. */
  readonly message: string;
  readonly details: readonly NatsRpcErrorDetail[];
  /** The response message as protobuf; empty where `code` is not `ok`. */
  readonly body: Uint8Array;
};

/** What one NATS message carries. Header names are lower case, values hold no line breaks. */
export type NatsRpcPart = { readonly headers: Readonly<Record<string, string>>; readonly data: Uint8Array };

/** Headers that a receiver has to hand to `collectRpcParts`, since NATS libraries read headers by name. */
export const natsRpcHeaders = ["method", "authorization", "request-id", "timeout-ms", "code", "part"] as const;

const utf8 = new TextEncoder();
const fatalUtf8 = new TextDecoder("utf-8", { fatal: true });

/** The messages of a call, in the order in which to send them. Never empty. */
export const encodeNatsRequest = (call: NatsRpcRequest): readonly NatsRpcPart[] =>
  cut(call.body, {
    method: call.method,
    "timeout-ms": String(Math.max(0, Math.floor(call.timeoutMs))),
    ...(call.authorization === "" ? {} : { authorization: call.authorization }),
    ...(call.requestId === "" ? {} : { "request-id": call.requestId }),
  });

/** The messages of an answer, in the order in which to send them. Never empty. */
export const encodeNatsResponse = (answer: NatsRpcResponse): readonly NatsRpcPart[] =>
  cut(answer.code === "ok" ? answer.body : errorBody(answer), { code: answer.code });

function cut(body: Uint8Array, headers: Readonly<Record<string, string>>): readonly NatsRpcPart[] {
  const of = Math.ceil(body.length / natsRpcPartBytes);
  if (of <= 1) return [{ headers, data: body }];
  return Array.from({ length: of }, (_, i) => ({
    headers: { ...(i === 0 ? headers : {}), part: `${i + 1}/${of}` },
    data: body.subarray(i * natsRpcPartBytes, (i + 1) * natsRpcPartBytes),
  }));
}

/** A call or answer put together again: the first part's headers, all parts' bytes. */
export type NatsRpcMessage = { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array };

export type NatsRpcAssembler = {
  /** The whole once the last part is in; undefined before. An error ends the collection for good. */
  add(part: NatsRpcPart): Result<NatsRpcMessage | undefined, string>;
  /** Bytes held. */
  bytes(): number;
};

/** Puts the parts of one call or one answer together. Parts out of order, or above `maxBytes`, are an error. */
export function natsRpcAssembler(maxBytes: number = maxNatsRpcBytes): NatsRpcAssembler {
  const taken: Uint8Array[] = [];
  let first: NatsRpcPart | undefined;
  let of = 0;
  let bytes = 0;
  return {
    bytes: () => bytes,
    add(part) {
      const place = readPlace(part.headers.part);
      if (!place || place.n !== taken.length + 1 || (first && place.of !== of)) return fail("parts out of order");
      bytes += part.data.length;
      if (bytes > maxBytes) return fail(`larger than ${maxBytes} bytes`);
      first ??= part;
      of = place.of;
      taken.push(part.data);
      return ok(taken.length < of ? undefined : { headers: first.headers, body: joined(taken, bytes) });
    },
  };
}

function readPlace(text: string | undefined): { n: number; of: number } | undefined {
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

/** Reads a call. The error is a sentence for the caller. */
export function decodeNatsRequest({ headers, body }: NatsRpcMessage): Result<NatsRpcRequest, string> {
  const method = headers.method ?? "";
  if (!/^[\w.]+\/\w+$/.test(method)) return fail("header method: want service/method");
  const timeout = headers["timeout-ms"] ?? "0";
  if (!/^\d{1,9}$/.test(timeout)) return fail("header timeout-ms: want a number of milliseconds");
  return ok({
    method,
    authorization: headers.authorization ?? "",
    requestId: headers["request-id"] ?? "",
    timeoutMs: Number(timeout),
    body,
  });
}

/** Reads an answer. The error says what is wrong with it: then nobody knows whether the call took effect. */
export function decodeNatsResponse({ headers, body }: NatsRpcMessage): Result<NatsRpcResponse, string> {
  const code = headers.code;
  if (code === "ok") return ok({ code, message: "", details: [], body });
  if (code === undefined || !/^[a-z_]{1,40}$/.test(code)) return fail("an answer without a code");
  return readErrorBody(code, body);
}

const errorBody = ({ message, details }: NatsRpcResponse): Uint8Array =>
  utf8.encode(
    JSON.stringify({
      message,
      details: details.map((d) => ({ type: d.type, value: base64Encode(d.value, "std_raw") })),
    }),
  );

function readErrorBody(code: string, body: Uint8Array): Result<NatsRpcResponse, string> {
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
    return fail(`an answer of code ${code} whose body is no error`);
  }
}
