import { type Clock, withDeadline } from "@realmwatch/shared/model/clock";
import { version } from "@realmwatch/shared/model/version";
import { LateOpened } from "@realmwatch/shared/platform/late-opened";
import type { Dispatcher, FormData } from "undici";
import type { NameResolver } from "../dns/name-resolver.ts";
import { trustedAuthorities } from "../network/trusted-roots.ts";
import { classifyConnectionFailure, type LastingFailures, lastingFailure } from "./connection-failure.ts";
import { type AttemptResult, type DeliveryFailure, delivered, retry } from "./delivery-result.ts";
import { parseHttpTarget } from "./http-exchange.ts";
import { withoutSentSecrets } from "./sent-secrets.ts";

type OutboundRequest = {
  /** Default: `POST`. */
  readonly method?: "POST" | "PUT" | "DELETE" | "GET";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | FormData | undefined;
  /** Longest time for the whole exchange, ms. Default: that of the client. */
  readonly limitMs?: number;
};

export type OutboundResponse = {
  readonly kind: "response";
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  /** The same as text. */
  readonly body: string;
  /** Delay of the `Retry-After` header, ms; undefined without a valid one. */
  readonly retryAfterMs: number | undefined;
  /** Returns a part of the text for the log or an error message; empty when it repeats a credential of the request. */
  quotable(part: string): string;
};

/** Sends HTTP requests. Follows no redirect, and refuses invalid certificates and denied addresses. */
export interface OutboundHttp {
  /** Returns the response, or the failure that prevented one. Never rejects. */
  send(request: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse | DeliveryFailure>;
  close(): Promise<void>;
}

/** Environment that all senders share. */
export type OutboundNetwork = {
  readonly clock: Clock;
  readonly resolver: NameResolver;
  /** Certificates of authorities to trust beside those of Node.js, PEM. */
  readonly extraAuthorities?: string | undefined;
};

type OutboundHttpOptions = {
  readonly network: OutboundNetwork;
  readonly lasting: LastingFailures;
  readonly connectMs: number;
  readonly keepAliveMs: number;
  /** Longest time for an exchange, ms. Default: the caller's signal alone limits it. */
  readonly limitMs?: number;
  readonly readBody: (body: Dispatcher.ResponseData["body"]) => Promise<Buffer>;
  readonly onConnect?: () => void;
};

/** Loads the HTTP client, which takes longer than the rest of a start. */
export const loadHttpAgent = () => import("./http-agent.ts");

export function openOutboundHttp(options: OutboundHttpOptions): OutboundHttp {
  const { clock, resolver, extraAuthorities } = options.network;
  const agent = new LateOpened(async () => {
    const { openHttpAgent } = await loadHttpAgent();
    const { connectMs, keepAliveMs, onConnect } = options;
    return openHttpAgent({
      ...{ resolver, connectMs, keepAliveMs, onConnect },
      authorities: trustedAuthorities(extraAuthorities),
    });
  });

  async function exchange(asked: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse | DeliveryFailure> {
    const target = parseHttpTarget(asked.url);
    if (target === undefined)
      return lastingFailure(options.lasting.kind, "setup", "its address is not an http or https URL");
    const credentials = { ...target.headers, ...withLowerNames(asked.headers ?? {}) };
    const { dispatcher, request } = await agent.get();
    const response = await request(target.url, {
      method: asked.method ?? "POST",
      dispatcher,
      signal,
      headers: { "user-agent": `Realmwatch/${version}`, ...credentials },
      body: asked.body ?? null,
    });
    const bytes = await options.readBody(response.body);
    return {
      kind: "response",
      status: response.statusCode,
      headers: response.headers,
      bytes,
      body: bytes.toString("utf8"),
      retryAfterMs: parseRetryAfter(response.headers["retry-after"], clock.now()),
      quotable: (part) => withoutSentSecrets(part, { url: asked.url, headers: credentials }),
    };
  }

  async function attempt(asked: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse | DeliveryFailure> {
    try {
      return await exchange(asked, signal);
    } catch (error) {
      return signal.aborted ? retry("timeout", "no answer in time") : classifyConnectionFailure(error, options.lasting);
    }
  }

  return {
    async send(asked, signal) {
      const ms = asked.limitMs ?? options.limitMs;
      return ms === undefined
        ? attempt(asked, signal)
        : withDeadline({ clock, ms, signal }, (ending) => attempt(asked, ending));
    },
    close: () => agent.close(({ dispatcher }) => dispatcher.destroy()),
  };
}

/** Headers with their names in lower case, so that a configured header replaces the sender's own. */
const withLowerNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Classifies a response by its status. `note`: end of the sentence about a failure, safe to show; may be empty. */
export function classifyResponse(
  { status, retryAfterMs }: OutboundResponse,
  { kind, redirected }: LastingFailures,
  note = "",
): AttemptResult {
  if (status >= 200 && status < 300) return delivered;
  if (status === 429) return retry("rate_limited", `answered 429: too many messages${note}`, retryAfterMs);
  const detail = `answered ${status}${note}`;
  // A gateway does not know what became of the request.
  if (status === 502 || status === 504) return { ...retry("server", detail, retryAfterMs), mayHaveArrived: true };
  if (status >= 500 || status === 408 || status === 425) return retry("server", detail, retryAfterMs);
  if (status >= 400) return lastingFailure("rejected", "refused", detail);
  return lastingFailure(kind, redirected, `answered ${status}: redirects are not followed`);
}

/** Delay that a `Retry-After` header requests, ms from now; undefined when it is missing or malformed. */
export function parseRetryAfter(header: string | string[] | undefined, nowMs: number): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? "";
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return Number(text) * 1_000;
  const atMs = /^[A-Za-z]{3},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
