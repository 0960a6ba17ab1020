import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "@realmwatch/shared/words/clock";
import { fail, ok, type Result } from "@realmwatch/shared/words/result";
import { sayCode, sayError } from "../run/say-error.ts";

/** Bytes of a body that are read before the rest is declined. */
export const maxBodyBytes = 1_048_576;

export type Answer = {
  readonly code: number;
  readonly reason: string;
  /** As the server wrote it; empty where it wrote none. */
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
): Promise<Result<Answer, string>> {
  const { clock, signal } = tools;
  const startedMs = clock.monotonic();
  return new Promise((resolve) => {
    const request = httpRequest({
      createConnection: () => socket,
      path: url.pathname + url.search,
      headers: headersFor(url),
    });
    const settle = (result: Result<Answer, string>): void => {
      signal.removeEventListener("abort", abort);
      resolve(result);
      socket.destroy();
    };
    // Not the request's own option: that makes an error of each signal that aborts after the answer.
    const abort = (): void => settle(fail(sayCode("ABORTED")));
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    socket.on("error", () => {}); // Told by the request too; this catches what comes after the answer.
    request.on("error", (error) => settle(fail(sayError(error))));
    let answered = false;
    request.on("close", () => {
      if (!answered) settle(fail("connection closed"));
    });
    request.on("response", (response) => {
      answered = true;
      const firstByteMs = clock.monotonic() - startedMs;
      readBody(response, (bodyBytes, endless) => {
        if (bodyBytes === undefined) return settle(fail("connection closed within the answer"));
        const { statusCode: code = 0, statusMessage: reason = "", headers } = response;
        settle(ok({ code, reason, location: headers.location ?? "", bodyBytes, endless, firstByteMs }));
      });
    });
    request.end();
  });
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
