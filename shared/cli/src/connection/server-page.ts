import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { readAnswerText } from "./answer-text.ts";
import type { ClientTls } from "./tls-files.ts";

/** Status and text of a page; without text when it is larger than the maximum. */
export type ServerPage = { readonly status: number; readonly body: string | undefined };

/** Requests a page of a server. Rejects with the error of the connection, or with a `TimeoutError`. */
export async function readServerPage(
  url: string,
  { tls, timeoutMs }: { readonly tls: ClientTls; readonly timeoutMs: number },
): Promise<ServerPage> {
  const request = url.startsWith("https:") ? httpsRequest : httpRequest;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { ...tls, agent: false, signal: AbortSignal.timeout(timeoutMs) }, resolve)
      .once("error", reject)
      .end();
  });
  return { status: response.statusCode ?? 0, body: await readAnswerText(response) };
}
