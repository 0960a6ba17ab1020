import type { LastingFailures } from "../../platform/outbound/connection-failure.ts";
import type { AttemptResult } from "../../platform/outbound/delivery-result.ts";
import { readBodyStart } from "../../platform/outbound/http-exchange.ts";
import {
  classifyResponse,
  type OutboundHttp,
  type OutboundNetwork,
  type OutboundResponse,
  openOutboundHttp,
} from "../../platform/outbound/outbound-http.ts";

/**
 * [SK7] Sinks retry until they are repaired, because a rejected batch is lost: a name may get another address, and flags
 * and configuration are changed by an operator.
 */
const sinkLastingFailures: LastingFailures = { kind: "retry", denied: "denied", redirected: "server" };

/** Longest time for a request, ms. */
export const sinkRequestMs = 30_000;

/** Time for the rest of a body once the status is known, ms. */
const bodyLimitMs = 2_000;

export const openSinkHttpClient = (network: OutboundNetwork): OutboundHttp =>
  openOutboundHttp({
    network,
    lasting: sinkLastingFailures,
    connectMs: 10_000,
    keepAliveMs: 15_000,
    limitMs: sinkRequestMs,
    readBody: (body) => readBodyStart(body, { clock: network.clock, limitMs: bodyLimitMs }),
  });

/** Classifies a response by its status. `note`: end of the sentence about the failure, safe to show. */
export function classifySinkResponse(response: OutboundResponse, note = ""): AttemptResult {
  const result = classifyResponse(response, sinkLastingFailures, note);
  if (result.kind === "delivered") return result;
  const quotable = response.quotable(response.body).slice(0, 500);
  return { ...result, quote: quotable.replace(/\p{Cc}+/gu, " ").trim() };
}
