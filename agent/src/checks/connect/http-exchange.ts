import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { describeError, describeErrorCode } from "../../platform/network/describe-error.ts";
import { basicAuthorization } from "../../platform/outbound/http-exchange.ts";

/** Maximum bytes read of a body. */
export const maxBodyBytes = 1_048_576;

const redirectCodes: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

export type HttpExchangeResult = {
  readonly code: number;
  readonly reason: string;
  /** `Location` of a redirect, unresolved; empty for other responses. The body of a redirect is not read. */
  readonly location: string;
  readonly bodyBytes: number;
  /** True when the body is longer than `maxBodyBytes`. */
  readonly tooLong: boolean;
  /** Time from the request to the head of the response. */
  readonly firstByteMs: number;
};

/** Sends one GET over `socket`, reads the body and closes the socket. The error is a phrase. Never rejects. */
export function getOnce(
  url: URL,
  socket: Socket,
  dependencies: { clock: Clock; signal: AbortSignal },
): Promise<Result<HttpExchangeResult, string>> {
  const { clock, signal } = dependencies;
  const startedMs = clock.monotonic();
  return new Promise((resolve) => {
    const request = httpRequest({
      createConnection: () => socket,
      path: url.pathname + url.search,
      headers: headersFor(url),
      // Lenient parsing, as browsers do. Request smuggling is impossible with one response per connection.
      insecureHTTPParser: true,
    });
    const settle = (result: Result<HttpExchangeResult, string>): void => {
      signal.removeEventListener("abort", abort);
      resolve(result);
      socket.destroy();
    };
    // Instead of the request's `signal` option, which causes an error when the signal aborts after the response.
    const abort = (): void => settle(fail(describeErrorCode("ABORTED")));
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    socket.on("error", () => {}); // The request emits the error too; this one handles errors after the response.
    let answer: IncomingMessage | undefined;
    request.on("error", (error) => {
      if (answer?.complete !== true) settle(fail(describeError(error))); // Errors after the response are ignored.
    });
    request.on("close", () => {
      if (answer === undefined) settle(fail("connection closed"));
    });
    const onResponse = (response: IncomingMessage): void => {
      answer = response;
      const head = { ...headOf(response), firstByteMs: clock.monotonic() - startedMs };
      if (head.location !== "" || head.code < 200) return settle(ok({ ...head, bodyBytes: 0, tooLong: false }));
      readBody(response, (bodyBytes, tooLong) =>
        settle(
          bodyBytes === undefined ? fail("connection closed within the answer") : ok({ ...head, bodyBytes, tooLong }),
        ),
      );
    };
    request.on("response", onResponse).on("upgrade", onResponse); // An unrequested 101 response counts as well.
    request.end();
  });
}

function headOf({ statusCode: code = 0, statusMessage: reason = "", headers }: IncomingMessage) {
  return { code, reason, location: redirectCodes.has(code) ? (headers.location ?? "") : "" };
}

function headersFor(url: URL): Record<string, string> {
  const headers = { host: url.host, "user-agent": "realmwatch", accept: "*/*", connection: "close" };
  return { ...headers, ...basicAuthorization(url) };
}

/** Counts the bytes of a body up to its end or limit. `bytes` is undefined when the connection closed before the end. */
function readBody(response: IncomingMessage, done: (bytes: number | undefined, tooLong: boolean) => void): void {
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) done(maxBodyBytes, true);
  });
  response.on("end", () => done(bytes, false));
  response.on("error", () => done(undefined, false));
  response.on("close", () => done(undefined, false));
}
