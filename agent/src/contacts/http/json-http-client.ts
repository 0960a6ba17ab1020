import type { Clock } from "@realmwatch/shared/model/clock";
import { sleep } from "@realmwatch/shared/model/clock";
import { version } from "@realmwatch/shared/model/version";
import { failpoint } from "@realmwatch/shared/platform/process/failpoint";
import { Agent, type Dispatcher, request } from "undici";
import type { NameResolver } from "../../platform/dns/name-resolver.ts";
import { type AttemptResult, delivered, reject, retry } from "../attempt-result.ts";
import { classifyConnectionFailure } from "../connect/connection-failure.ts";
import { socketLookup } from "../connect/name-lookup.ts";
import { trustedAuthorities } from "../connect/trusted-authorities.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** Of an answer's body that is read, bytes, and how long that may take where it decides nothing, ms. */
const maxBodyBytes = 65_536;
const bodyPatienceMs = 250;

export type JsonHttpRequest = {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Becomes JSON. */
  readonly body: unknown;
  /** The message's id: a receiver may know by it that it has the message already. */
  readonly id: string;
};

export type JsonHttpResponse = {
  readonly kind: "answered";
  readonly status: number;
  /** What `Retry-After` asks for, ms. */
  readonly retryAfterMs: number | undefined;
  /** At most 64 KiB of it; empty where it did not come in time. */
  readonly body: string;
};

/** Sends JSON by HTTP. Follows no redirect and trusts no certificate that does not hold. */
export interface JsonHttpClient {
  /** What was answered, or why nothing was. Never rejects. */
  post(what: JsonHttpRequest, signal: AbortSignal): Promise<JsonHttpResponse | AttemptResult>;
  close(): Promise<void>;
}

type JsonHttpClientOptions = {
  readonly clock: Clock;
  readonly resolver: NameResolver;
  readonly extraAuthorities?: string | undefined;
};

export function openJsonHttpClient({ clock, resolver, extraAuthorities }: JsonHttpClientOptions): JsonHttpClient {
  const agent = new Agent({
    allowH2: false,
    // Deadlines are the caller's.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 4_000,
    connect: { timeout: 30_000, lookup: socketLookup(resolver), ca: trustedAuthorities(extraAuthorities) },
  });

  agent.on("connect", () => failpoint("after-connect"));

  async function post({ url, headers, body, id }: JsonHttpRequest, signal: AbortSignal): Promise<JsonHttpResponse | AttemptResult> {
    const target = readTarget(url);
    if (target === undefined) return reject("setup", "its address is no http or https URL");
    try {
      const answer = await request(target.url, {
        method: "POST",
        dispatcher: agent,
        signal,
        headers: {
          "content-type": "application/json; charset=utf-8",
          "user-agent": `Realmwatch/${version}`,
          "idempotency-key": id,
          ...target.headers,
          ...headers,
        },
        body: JSON.stringify(body),
      });
      return {
        kind: "answered",
        status: answer.statusCode,
        retryAfterMs: parseRetryAfter(answer.headers["retry-after"], clock.now()),
        body: await readBody(answer.body, clock),
      };
    } catch (error) {
      return signal.aborted ? retry("timeout", "no answer in time") : classifyConnectionFailure(error);
    }
  }

  return { post, close: () => agent.destroy() };
}

/** User and password of a URL go into a header, as its server expects them. */
function readTarget(text: string): { url: URL; headers: Record<string, string> } | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const { username, password } = url;
  if (username === "" && password === "") return { url, headers: {} };
  const pair = Buffer.from(`${decode(username)}:${decode(password)}`).toString("base64");
  url.username = "";
  url.password = "";
  return { url, headers: { authorization: `Basic ${pair}` } };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The status is known: a body that does not come, or never ends, changes nothing any more. */
async function readBody(body: Dispatcher.ResponseData["body"], clock: Clock): Promise<string> {
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
  const reading = read().catch(() => {});
  await Promise.race([reading, sleep(clock, bodyPatienceMs, done.signal)]);
  done.abort();
  if (!body.readableEnded) body.on("error", () => {}).destroy();
  return Buffer.concat(chunks).subarray(0, maxBodyBytes).toString("utf8");
}

/** What an answer means where the receiver has no words of its own for it. `said`: a quotation, or empty. */
export function classifyResponse({ status, retryAfterMs }: JsonHttpResponse, said = ""): AttemptResult {
  if (status >= 200 && status < 300) return delivered;
  if (status === 429) return retry("rate_limited", `answered 429: too many messages${said}`, retryAfterMs);
  if (status >= 500 || status === 408 || status === 425)
    return retry("server", `answered ${status}${said}`, retryAfterMs);
  if (status >= 300 && status < 400) return reject("refused", `answered ${status}: redirects are not followed`);
  return reject("refused", `answered ${status}${said}`);
}
