import type { Clock } from "@realmwatch/shared/model/clock";
import { version } from "@realmwatch/shared/model/version";
import { OutboundDenied, outboundConnector } from "@realmwatch/shared/platform/network/outbound-policy";
import { Agent, request } from "undici";
import type { NameResolver } from "../../platform/dns/name-resolver.ts";
import { describeErrorCode } from "../../platform/network/describe-error.ts";
import { errorCauses, errorCodesIn, isTlsErrorCode } from "../../platform/network/error-causes.ts";
import { parseHttpTarget, readBodyStart } from "../../platform/network/http-exchange.ts";
import { NameNotResolved, socketLookup } from "../../platform/network/name-lookup.ts";
import { parseRetryAfter } from "../../platform/network/retry-after.ts";
import { withoutSentSecrets } from "../../platform/network/sent-secrets.ts";
import type { SinkFailureReason, SinkSendResult } from "../send-result.ts";

type SinkHttpRequest = {
  /** Default: `POST`. */
  readonly method?: "POST" | "PUT" | "DELETE" | "GET";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Longest time for the whole exchange, ms. Default: 30 s. */
  readonly limitMs?: number;
};

export type SinkHttpResponse = {
  readonly kind: "response";
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** First 64 KiB at most. */
  readonly bytes: Uint8Array;
  /** The same as text. */
  readonly body: string;
  /** Text of a failure for the log; empty when it repeats a credential of the request. */
  readonly quotable: string;
  /** Delay of the `Retry-After` header, ms; undefined without a valid one. */
  readonly retryAfterMs: number | undefined;
};

/** Sends HTTP requests of sinks. Follows no redirect, and refuses invalid certificates and denied addresses. */
export interface SinkHttpClient {
  /** Returns the response, or the failure that prevented one. Never rejects. */
  send(request: SinkHttpRequest, signal: AbortSignal): Promise<SinkHttpResponse | SinkSendResult>;
  close(): Promise<void>;
}

type SinkHttpClientOptions = {
  readonly clock: Clock;
  readonly resolver: NameResolver;
  /** Certificates of additional authorities, PEM. */
  readonly extraAuthorities?: string | undefined;
};

const limitMs = 30_000;

export function openSinkHttpClient({ clock, resolver, extraAuthorities }: SinkHttpClientOptions): SinkHttpClient {
  const agent = new Agent({
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 15_000,
    connect: outboundConnector(resolver.outbound, {
      timeout: 10_000,
      lookup: socketLookup(resolver),
      ...(extraAuthorities === undefined ? {} : { ca: extraAuthorities }),
    }),
  });

  async function send(asked: SinkHttpRequest, signal: AbortSignal): Promise<SinkHttpResponse | SinkSendResult> {
    const target = parseHttpTarget(asked.url);
    if (target === undefined)
      return { kind: "refused", reason: "setup", detail: "its address is not an http or https URL" };
    const late = new AbortController();
    const cancelLimit = clock.after(asked.limitMs ?? limitMs, () => late.abort());
    try {
      const credentials = { ...target.headers, ...withLowerNames(asked.headers ?? {}) };
      const response = await request(target.url, {
        method: asked.method ?? "POST",
        dispatcher: agent,
        signal: AbortSignal.any([signal, late.signal]),
        headers: { "user-agent": `Realmwatch/${version}`, ...credentials },
        ...(asked.body === undefined ? {} : { body: asked.body }),
      });
      const bytes = await readBodyStart(response.body, { clock, limitMs: bodyLimitMs });
      const body = bytes.toString("utf8");
      const isFailure = response.statusCode >= 300;
      return {
        kind: "response",
        status: response.statusCode,
        headers: response.headers,
        bytes,
        body,
        quotable: isFailure ? withoutSentSecrets(body, { url: asked.url, headers: credentials }) : "",
        retryAfterMs: parseRetryAfter(response.headers["retry-after"], clock.now()),
      };
    } catch (error) {
      if (signal.aborted || late.signal.aborted) return retryOf("timeout", "no answer in time");
      return connectionFailure(error);
    } finally {
      cancelLimit();
    }
  }

  return { send, close: () => agent.destroy() };
}

/** Headers with their names in lower case, so that a configured header replaces the sink's own. */
const withLowerNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const retryOf = (reason: SinkFailureReason, detail: string, afterMs?: number): SinkSendResult => ({
  kind: "retry",
  reason,
  detail,
  afterMs,
});

/** Time for the rest of a body once the status is known, ms. */
const bodyLimitMs = 2_000;

/** Classifies a failure to connect by error codes only: messages contain addresses, which may be secret. */
function connectionFailure(error: unknown): SinkSendResult {
  const causes = errorCauses(error);
  const unresolved = causes.find((cause) => cause instanceof NameNotResolved);
  const isDenied = unresolved instanceof NameNotResolved && unresolved.failure === "denied";
  // Denied addresses are retried: a name may get another address, and the flag is changed by a restart.
  if (isDenied || causes.some((cause) => cause instanceof OutboundDenied))
    return retryOf("denied", "connections to its address are denied by -outbound-deny");
  if (unresolved !== undefined) return retryOf("dns", "its name cannot be resolved");
  const codes = causes.flatMap(errorCodesIn);
  const tls = codes.find(isTlsErrorCode);
  if (tls !== undefined) return retryOf("tls", tls === "ETLS" ? "TLS handshake failed" : describeErrorCode(tls));
  const [code] = codes;
  if (code === undefined) return retryOf("connect", "the connection failed");
  if (code === "UND_ERR_CONNECT_TIMEOUT") return retryOf("timeout", "no connection in time");
  if (code === "UND_ERR_SOCKET") return retryOf("connect", "the connection was closed");
  if (/^(?:ERR_INVALID|UND_ERR_INVALID_ARG|UND_ERR_NOT_SUPPORTED)/.test(code))
    return retryOf("setup", "no such request can be made");
  return retryOf(code === "ETIMEDOUT" ? "timeout" : "connect", describeErrorCode(code));
}

/**
 * Classifies a response by its status: 2xx is delivered, 4xx except 408 and 429 refused, and everything else retried.
 * `note`: end of the sentence about the failure, safe to show.
 */
export function classifySinkResponse({ status, retryAfterMs, quotable }: SinkHttpResponse, note = ""): SinkSendResult {
  if (status >= 200 && status < 300) return { kind: "delivered" };
  const quote = quotable
    .slice(0, 500)
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  const detail = `answered ${status}${note}`;
  if (status === 429) return { kind: "retry", reason: "rate_limited", detail, quote, afterMs: retryAfterMs };
  if (status === 408 || status >= 500) return { kind: "retry", reason: "server", detail, quote, afterMs: retryAfterMs };
  if (status >= 400) return { kind: "refused", reason: "refused", detail, quote };
  return { kind: "retry", reason: "server", detail: `${detail}: redirects are not followed`, quote };
}
