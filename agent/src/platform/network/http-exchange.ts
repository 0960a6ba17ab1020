import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { Dispatcher } from "undici";

/** URL without user and password, and the `authorization` header made of these. */
type HttpTarget = { readonly url: URL; readonly headers: Readonly<Record<string, string>> };

/** Parses a URL and moves its user and password into a header; undefined when it is not an http or https URL. */
export function parseHttpTarget(text: string): HttpTarget | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const { username, password } = url;
  if (username === "" && password === "") return { url, headers: {} };
  const pair = Buffer.from(`${decodeUserInfo(username)}:${decodeUserInfo(password)}`).toString("base64");
  url.username = "";
  url.password = "";
  return { url, headers: { authorization: `Basic ${pair}` } };
}

function decodeUserInfo(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Maximum number of bytes of a response body that are read. */
const maxBodyBytes = 65_536;

/**
 * Reads the beginning of a response body, 64 KiB at most. The status is known, so a body that is late or endless is cut
 * off without an error.
 *
 * @param limitMs time for reading, ms
 */
export async function readBodyStart(
  body: Dispatcher.ResponseData["body"],
  { clock, limitMs }: { readonly clock: Clock; readonly limitMs: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const read = async (): Promise<void> => {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBodyBytes) return;
    }
  };
  const done = new AbortController();
  await Promise.race([read().catch(() => {}), sleep(clock, limitMs, done.signal)]);
  done.abort();
  if (!body.readableEnded) body.on("error", () => {}).destroy();
  return Buffer.concat(chunks).subarray(0, maxBodyBytes);
}
