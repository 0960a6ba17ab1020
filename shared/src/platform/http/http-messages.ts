import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { AdmittedRequest } from "../admission/admission.ts";

/** A request over HTTP/1.1 or HTTP/2. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;
/** A response over HTTP/1.1 or HTTP/2. */
export type HttpResponse = ServerResponse | Http2ServerResponse;

/** True when the whole body of a request was received and read. */
export const isWhole = (request: HttpRequest): boolean =>
  "stream" in request ? request.stream.endAfterHeaders || request.readableEnded : request.complete;

/** Request whose turn has come, with its response. */
export type HttpExchange = {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly admitted: AdmittedRequest;
};
