import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { describeError, describeErrorCode } from "../../platform/network/describe-error.ts";

/** Bytes of a body that are read before the rest is declined. */
export const maxBodyBytes = 1_048_576;

const redirectCodes: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

export type HttpExchangeResult = {
  readonly code: number;
  readonly reason: string;
  /** Where a redirect goes to, as the server wrote it; empty where this is none. Its body is not read. */
  readonly location: string;
  readonly bodyBytes: number;
  /** Whether the body went on past `maxBodyBytes`. */
  readonly endless: boolean;
  /** From the request to the head of the answer. */
  readonly firstByteMs: number;
};

/** One GET over a connection of its own, body included. The error says what happened. Never rejects. */
export function getOnce(
  url: URL,
  socket: Socket,
  tools: { clock: Clock; signal: AbortSignal },
): Promise<Result<HttpExchangeResult, string>> {
  const { clock, signal } = tools;
  const startedMs = clock.monotonic();
  return new Promise((resolve) => {
    const request = httpRequest({
      createConnection: () => socket,
      path: url.pathname + url.search,
      headers: headersFor(url),
      // Browsers forgive servers that are careless with line ends and lengths. One answer a connection: nothing to smuggle.
      insecureHTTPParser: true,
    });
    const settle = (result: Result<HttpExchangeResult, string>): void => {
      signal.removeEventListener("abort", abort);
      resolve(result);
      socket.destroy();
    };
    // Not the request's own option: that makes an error of each signal that aborts after the answer.
    const abort = (): void => settle(fail(describeErrorCode("ABORTED")));
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    socket.on("error", () => {}); // Told by the request too; this catches what comes after the answer.
    let answer: IncomingMessage | undefined;
    request.on("error", (error) => {
      if (answer?.complete !== true) settle(fail(describeError(error))); // Else it is about what came after the answer.
    });
    request.on("close", () => {
      if (answer === undefined) settle(fail("connection closed"));
    });
    const hear = (response: IncomingMessage): void => {
      answer = response;
      const head = { ...headOf(response), firstByteMs: clock.monotonic() - startedMs };
      if (head.location !== "" || head.code < 200) return settle(ok({ ...head, bodyBytes: 0, endless: false }));
      readBody(response, (bodyBytes, endless) =>
        settle(
          bodyBytes === undefined ? fail("connection closed within the answer") : ok({ ...head, bodyBytes, endless }),
        ),
      );
    };
    request.on("response", hear).on("upgrade", hear); // A protocol that nobody asked for is an answer too.
    request.end();
  });
}

function headOf({ statusCode: code = 0, statusMessage: reason = "", headers }: IncomingMessage) {
  return { code, reason, location: redirectCodes.has(code) ? (headers.location ?? "") : "" };
}

function headersFor(url: URL): Record<string, string> {
  const headers = { host: url.host, "user-agent": "realmwatch", accept: "*/*", connection: "close" };
  if (url.username === "" && url.password === "") return headers;
  const user = `${decoded(url.username)}:${decoded(url.password)}`;
  return { ...headers, authorization: `Basic ${Buffer.from(user).toString("base64")}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A bare percent sign.
  }
}

/** Counts a body to its end or its limit. `bytes` is undefined where it broke off. */
function readBody(response: IncomingMessage, done: (bytes: number | undefined, endless: boolean) => void): void {
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) done(maxBodyBytes, true);
  });
  response.on("end", () => done(bytes, false));
  response.on("error", () => done(undefined, false));
  response.on("close", () => done(undefined, false));
}
