import type { Clock } from "@realmwatch/shared/model/clock";
import { version } from "@realmwatch/shared/model/version";
import { outboundConnector } from "@realmwatch/shared/platform/network/outbound-policy";
import { failpoint } from "@realmwatch/shared/platform/process/failpoint";
import { Agent, request } from "undici";
import type { NameResolver } from "../../platform/dns/name-resolver.ts";
import { parseHttpTarget, readBodyStart } from "../../platform/network/http-exchange.ts";
import { socketLookup } from "../../platform/network/name-lookup.ts";
import { parseRetryAfter } from "../../platform/network/retry-after.ts";
import { type AttemptResult, delivered, reject, retry } from "../attempt-result.ts";
import { classifyConnectionFailure } from "../connect/connection-failure.ts";
import { trustedAuthorities } from "../connect/trusted-authorities.ts";

/** Longest time for reading a response body, ms: the status is known already. */
const bodyTimeoutMs = 250;

type JsonHttpRequest = {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Value that is sent as JSON. */
  readonly body: unknown;
  /** Id of the message, sent as `Idempotency-Key`: a receiver may use it to drop repetitions. */
  readonly id: string;
};

export type JsonHttpResponse = {
  readonly kind: "response";
  readonly status: number;
  /** Delay of the `Retry-After` header, ms; undefined without a valid one. */
  readonly retryAfterMs: number | undefined;
  /** First 64 KiB at most; empty when it did not arrive in time. */
  readonly body: string;
};

/** Sends JSON by HTTP POST. Follows no redirect and rejects invalid certificates. */
export interface JsonHttpClient {
  /** Returns the response, or the failure that prevented one. Never rejects. */
  post(request: JsonHttpRequest, signal: AbortSignal): Promise<JsonHttpResponse | AttemptResult>;
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
    // The caller sets the deadlines.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 4_000,
    connect: outboundConnector(resolver.outbound, {
      timeout: 30_000,
      lookup: socketLookup(resolver),
      ca: trustedAuthorities(extraAuthorities),
    }),
  });

  agent.on("connect", () => failpoint("after-connect"));

  async function post(
    { url, headers, body, id }: JsonHttpRequest,
    signal: AbortSignal,
  ): Promise<JsonHttpResponse | AttemptResult> {
    const target = parseHttpTarget(url);
    if (target === undefined) return reject("setup", "its address is not an http or https URL");
    try {
      const response = await request(target.url, {
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
        kind: "response",
        status: response.statusCode,
        retryAfterMs: parseRetryAfter(response.headers["retry-after"], clock.now()),
        body: (await readBodyStart(response.body, { clock, limitMs: bodyTimeoutMs })).toString("utf8"),
      };
    } catch (error) {
      return signal.aborted ? retry("timeout", "no answer in time") : classifyConnectionFailure(error);
    }
  }

  return { post, close: () => agent.destroy() };
}

/** Classifies a response by its HTTP status. `quotation`: text of the receiver, see `quoteResponse`; may be empty. */
export function classifyResponse({ status, retryAfterMs }: JsonHttpResponse, quotation = ""): AttemptResult {
  if (status >= 200 && status < 300) return delivered;
  if (status === 429) return retry("rate_limited", `answered 429: too many messages${quotation}`, retryAfterMs);
  if (status >= 500 || status === 408 || status === 425)
    return retry("server", `answered ${status}${quotation}`, retryAfterMs);
  if (status >= 300 && status < 400) return reject("refused", `answered ${status}: redirects are not followed`);
  return reject("refused", `answered ${status}${quotation}`);
}
