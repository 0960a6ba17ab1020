import type { IncomingHttpHeaders } from "node:http";
import { ConnectError } from "@connectrpc/connect";
import type { Clock } from "../../model/clock.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import { type Encoding, encodingOf } from "../rpc/decompress.ts";
import { readRequestMessage } from "../rpc/read-request.ts";
import { unreadReasonOf } from "../rpc/request-limits.ts";
import type { RpcLimit } from "../rpc/rpc-limit.ts";
import type { HttpExchange } from "./http-messages.ts";
import { sendBody } from "./send-body.ts";

/** Request that is no RPC, before its body is read. */
export type UploadRequest = {
  readonly headers: IncomingHttpHeaders;
  /** Text after the question mark of the address. */
  readonly query: string;
  /** Address of the caller, as trusted proxies report it. */
  readonly peer: string;
  /** Reads the body, decompressed; to be called once. The error is the response for a body that cannot be read. */
  readBody(): Promise<Result<Uint8Array, UploadResponse>>;
  /**
   * Waits for a turn for the next piece of work that takes some ms, while other requests are served. Resolves to false when
   * the caller is gone and needs no response.
   */
  nextTurn(): Promise<boolean>;
};
export type UploadResponse = {
  readonly status: number;
  /** JSON text: a string or an error of Connect for a refusal; empty for a response without content. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
};
export type UploadHandler = (request: UploadRequest) => Promise<UploadResponse>;

/** Paths that take requests of other systems' protocols. */
export type Uploads = {
  /** Returns the handler of a path for a method such as `POST`; undefined when the path takes none. */
  readonly handlerOf: (path: string, method: string) => UploadHandler | undefined;
  readonly limit: RpcLimit;
};

type UploadOptions = {
  readonly handler: UploadHandler;
  readonly limit: RpcLimit;
  readonly peer: string;
  readonly clock: Clock;
};

/** Response whose content is a message as a JSON string. */
export const uploadProblem = (
  status: number,
  message: string,
  headers: UploadResponse["headers"] = {},
): UploadResponse => ({ status, body: JSON.stringify(message), headers });

/** Response to a request above a limit, with the body and the status that a Connect error of the code has. */
export const exhaustedUpload = (message: string): UploadResponse => ({
  status: 429,
  body: JSON.stringify({ code: "resource_exhausted", message }),
});

/**
 * [AR14] Answers a request. When the handler throws, the response is 500 without details, and the error is rethrown for
 * the caller to log.
 */
export async function serveUpload(exchange: HttpExchange, options: UploadOptions): Promise<void> {
  const { request, admitted } = exchange;
  const { handler, peer } = options;
  try {
    const readBody: UploadRequest["readBody"] = () => readUpload(exchange, options);
    const nextTurn: UploadRequest["nextTurn"] = () => admitted.nextTurn();
    const query = (request.url ?? "").split("?").slice(1).join("?");
    send(exchange, await handler({ headers: request.headers, query, peer, readBody, nextTurn }));
  } catch (error) {
    send(exchange, uploadProblem(500, "internal error"));
    throw error;
  }
}

const statusOfUnread = { too_large: 413, too_many: 503 } as const;

async function readUpload(
  { request, admitted }: HttpExchange,
  { limit, clock }: UploadOptions,
): ReturnType<UploadRequest["readBody"]> {
  const encoding = encodingOfUpload(request.headers["content-encoding"]);
  if (!encoding.ok) return encoding;
  const expired = fail(uploadProblem(408, `the body did not arrive within ${limit.deadlineMs / 1000} s`));
  let abort: (reason: unknown) => void = () => {};
  let isLate = false;
  const cancel = clock.after(limit.deadlineMs, () => {
    isLate = true;
    abort(new Error("late"));
  });
  const call = {
    onAbort(stop: (reason: unknown) => void) {
      abort = stop;
    },
  };
  try {
    const { maxBytes } = limit;
    return ok(await readRequestMessage(request, { maxBytes, call, admitted, encoding: encoding.value }));
  } catch (error) {
    if (isLate) return expired;
    if (!(error instanceof ConnectError)) throw error;
    const reason = unreadReasonOf(error);
    return fail(uploadProblem(reason === undefined ? 400 : statusOfUnread[reason], error.rawMessage));
  } finally {
    cancel();
  }
}

/** Compression that a request names; an unknown one is refused. */
function encodingOfUpload(header: string | undefined): Result<Encoding | undefined, UploadResponse> {
  const encoding = encodingOf(header);
  if (encoding !== undefined || header === undefined || header === "identity") return ok(encoding);
  return fail(uploadProblem(415, "the body's encoding is not supported: send it plain, or as gzip or br"));
}

function send({ response, admitted }: HttpExchange, { status, body, headers = {} }: UploadResponse): void {
  if (response.destroyed || response.headersSent) return;
  response.statusCode = status;
  if (body !== "") response.setHeader("content-type", "application/json");
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader("cache-control", "no-store");
  response.setHeader("content-length", Buffer.byteLength(body));
  if (body === "") response.end();
  else sendBody(response, Buffer.from(body), admitted);
}
