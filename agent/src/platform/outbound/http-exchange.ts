import { type Clock, waitAtMost } from "@realmwatch/shared/model/clock";
import type { Dispatcher } from "undici";

type Body = Dispatcher.ResponseData["body"];

/** Parses a URL and moves its user and password into a header; undefined when it is not an http or https URL. */
export function parseHttpTarget(
  text: string,
): { readonly url: URL; readonly headers: Readonly<Record<string, string>> } | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const headers = basicAuthorization(url);
  url.username = "";
  url.password = "";
  return { url, headers };
}

/** Header of the user and password of a URL; none when it has neither. */
export function basicAuthorization({ username, password }: URL): { readonly authorization?: string } {
  if (username === "" && password === "") return {};
  const pair = Buffer.from(`${decodeUserInfo(username)}:${decodeUserInfo(password)}`);
  return { authorization: `Basic ${pair.toString("base64")}` };
}

function decodeUserInfo(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A literal percent sign.
  }
}

/** Reads a body up to its end, or up to the first chunk with which it has more than `maxBytes`. */
export async function readBody(body: Body, maxBytes: number, chunks: Buffer[] = []): Promise<Buffer> {
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return Buffer.concat(chunks);
}

/** Most bytes of the beginning of a body. */
const maxStartBytes = 65_536;

/**
 * Reads the beginning of a response body, 64 KiB at most. The status is known, so a body that is late or endless is cut
 * off without an error.
 *
 * @param limitMs time for reading, ms
 */
export async function readBodyStart(
  body: Body,
  { clock, limitMs }: { readonly clock: Clock; readonly limitMs: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await waitAtMost(
    clock,
    limitMs,
    readBody(body, maxStartBytes, chunks).catch(() => {}),
  );
  if (!body.readableEnded) body.on("error", () => {}).destroy();
  return Buffer.concat(chunks).subarray(0, maxStartBytes);
}
