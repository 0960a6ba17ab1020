import { failpoint } from "@realmwatch/shared/platform/process/failpoint";
import type { LastingFailures } from "../../platform/outbound/connection-failure.ts";
import type { AttemptResult } from "../../platform/outbound/delivery-result.ts";
import { readBodyStart } from "../../platform/outbound/http-exchange.ts";
import {
  classifyResponse,
  type OutboundNetwork,
  type OutboundResponse,
  openOutboundHttp,
} from "../../platform/outbound/outbound-http.ts";

/**
 * [DL7, DL17] Contacts give up at once: an hour of attempts would end before an operator changes an address or a flag,
 * and a failed notification goes to its fallback.
 */
export const contactLastingFailures: LastingFailures = { kind: "rejected", denied: "setup", redirected: "refused" };

/** Longest time for reading a response body, ms: the status is known already. */
const bodyTimeoutMs = 250;

type JsonHttpRequest = {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Value that is sent as JSON. */
  readonly body: unknown;
  /** Id of the message, sent as `Idempotency-Key`: a receiver may use it to drop repetitions. */
  readonly id: string;
  /** Default: `classifyContactResponse` without a quotation. */
  readonly classify?: (response: OutboundResponse) => AttemptResult;
};

export type JsonHttpClient = ReturnType<typeof openJsonHttpClient>;

/** Opens a client that sends JSON by HTTP POST. */
export function openJsonHttpClient(network: OutboundNetwork) {
  const http = openOutboundHttp({
    network,
    lasting: contactLastingFailures,
    connectMs: 30_000,
    keepAliveMs: 4_000,
    readBody: (body) => readBodyStart(body, { clock: network.clock, limitMs: bodyTimeoutMs }),
    onConnect: () => failpoint("after-connect"),
  });
  return {
    /** Makes one attempt. Never rejects. */
    async post(request: JsonHttpRequest, signal: AbortSignal): Promise<AttemptResult> {
      const { url, headers, body, id, classify = classifyContactResponse } = request;
      const own = { "content-type": "application/json; charset=utf-8", "idempotency-key": id };
      const response = await http.send({ url, headers: { ...own, ...headers }, body: JSON.stringify(body) }, signal);
      return response.kind === "response" ? classify(response) : response;
    },
    close: http.close,
  };
}

/** Classifies a response by its HTTP status. `quotation`: text of the receiver, see `quoteResponse`; may be empty. */
export const classifyContactResponse = (response: OutboundResponse, quotation = ""): AttemptResult =>
  classifyResponse(response, contactLastingFailures, quotation);
