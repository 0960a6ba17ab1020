import type { IncomingHttpHeaders } from "node:http";
import { ConnectError } from "@connectrpc/connect";
import type { Clock } from "../../model/clock.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import type { BodyBudget } from "../rpc/body-budget.ts";
import { type Encoding, encodingOf } from "../rpc/decompress.ts";
import { readRequestMessage } from "../rpc/read-request.ts";
import { unreadReasonOf } from "../rpc/request-limits.ts";
import type { RpcLimit } from "../rpc/rpc-limit.ts";
import type { TurnQueue } from "../rpc/turn-queue.ts";
import type { HttpRequest, HttpResponse } from "./http-messages.ts";

/** POST request that is no RPC, before its body is read. */
export type UploadRequest = {
  readonly headers: IncomingHttpHeaders;
  /** Address of the caller, as trusted proxies report it. */
  readonly peer: string;
  /** Reads the body, decompressed; to be called once. The error is the response for a body that cannot be read. */
  readBody(): Promise<Result<Uint8Array, UploadResponse>>;
};
export type UploadResponse = {
  readonly status: number;
  /** JSON text; empty for a response without content. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
};
export type UploadHandler = (request: UploadRequest) => Promise<UploadResponse>;

/** Paths that take POST requests of other systems' protocols. */
export type Uploads = {
  /** Returns the handler of a path; undefined when the path takes none. */
  readonly handlerOf: (path: string) => UploadHandler | undefined;
  readonly limit: RpcLimit;
};

type UploadOptions = {
  readonly handler: UploadHandler;
  readonly limit: RpcLimit;
  readonly peer: string;
  readonly clock: Clock;
  /** Budget and turns that the bodies share with those of RPCs. */
  readonly budget: BodyBudget;
  readonly turns: TurnQueue;
};

/** Response whose content is a message as a JSON string. */
export const uploadProblem = (
  status: number,
  message: string,
  headers: UploadResponse["headers"] = {},
): UploadResponse => ({ status, body: JSON.stringify(message), headers });

/**
 * [AR14] Answers a POST request. When the handler throws, the response is 500 without details, and the error is rethrown for
 * the caller to log.
 */
export async function serveUpload(request: HttpRequest, response: HttpResponse, options: UploadOptions): Promise<void> {
  const { handler, peer, budget } = options;
  const share = budget.open(peer);
  try {
    const readBody: UploadRequest["readBody"] = () => readUpload(request, { ...options, share });
    send(response, await handler({ headers: request.headers, peer, readBody }));
  } catch (error) {
    send(response, uploadProblem(500, "internal error"));
    throw error;
  } finally {
    share.release();
  }
}

const statusOfUnread = { too_large: 413, too_many: 503 } as const;

async function readUpload(
  request: HttpRequest,
  { limit, clock, share, turns }: UploadOptions & { readonly share: ReturnType<BodyBudget["open"]> },
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
    return ok(await readRequestMessage(request, { maxBytes, call, share, encoding: encoding.value, turns }));
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

function send(response: HttpResponse, { status, body, headers = {} }: UploadResponse): void {
  if (response.destroyed || response.headersSent) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (body !== "") response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-store");
  response.setHeader("content-length", Buffer.byteLength(body));
  if (body === "") response.end();
  else response.end(Buffer.from(body));
}
