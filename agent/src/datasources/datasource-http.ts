import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { FormData } from "undici";
import type { LastingFailures } from "../platform/outbound/connection-failure.ts";
import { readBody } from "../platform/outbound/http-exchange.ts";
import { type OutboundNetwork, type OutboundResponse, openOutboundHttp } from "../platform/outbound/outbound-http.ts";
import type { DatasourceFailure } from "./datasource.ts";

export type DatasourceRequest = {
  /** Path and parameters below the datasource's URL. */
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Form fields in the body, or a body with files. */
  readonly body?: URLSearchParams | FormData;
};

type DatasourceEndpoint = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** HTTP client of datasources. */
type DatasourceHttp = ReturnType<typeof openDatasourceHttp>;

/** Dependencies and settings of a datasource. Each type takes those that it needs. */
export type DatasourceOptions = {
  readonly endpoint: DatasourceEndpoint;
  /** Table that a sink of type `columnar_db` fills; validated as a plain name. */
  readonly table: string;
  readonly http: DatasourceHttp;
  /** Realm whose series are queried. */
  readonly realm: string;
  readonly clock: Pick<Clock, "now">;
};

/** Queries are not repeated: the client that waits for the answer gets the failure. */
const queryLastingFailures: LastingFailures = { kind: "rejected", denied: "denied", redirected: "refused" };

/** Most bytes of an answer. */
const maxAnswerBytes = 32 * 1024 * 1024;

export function openDatasourceHttp(network: OutboundNetwork) {
  const http = openOutboundHttp({
    network,
    lasting: queryLastingFailures,
    connectMs: 5_000,
    keepAliveMs: 4_000,
    limitMs: 20_000,
    readBody: (body) => readBody(body, maxAnswerBytes),
  });
  return {
    /** Sends a POST request. Never rejects. */
    async send(
      endpoint: DatasourceEndpoint,
      { path, parameters = {}, body }: DatasourceRequest,
      signal: AbortSignal,
    ): Promise<Result<OutboundResponse, DatasourceFailure>> {
      const url = urlBelow(endpoint.url, path, parameters);
      const isForm = body instanceof URLSearchParams;
      const typeOfForm = { "content-type": "application/x-www-form-urlencoded" };
      const headers = isForm ? { ...endpoint.headers, ...typeOfForm } : endpoint.headers;
      const answer = await http.send({ url, headers, body: isForm ? body.toString() : body }, signal);
      if (answer.kind !== "response") {
        const kind = answer.reason === "setup" ? "unusable" : "unavailable";
        return fail({ kind, why: `cannot be asked: ${answer.detail}` });
      }
      if (answer.bytes.length > maxAnswerBytes)
        return fail({ kind: "too_large", why: `answered more than ${maxAnswerBytes} bytes` });
      return ok(answer);
    },
    close: http.close,
  };
}

/** URL of a path below the datasource's URL; that URL unchanged when it cannot be parsed. */
function urlBelow(base: string, path: string, parameters: Readonly<Record<string, string>>): string {
  const url = URL.parse(base);
  if (url === null) return base;
  url.pathname = `${url.pathname.replace(/\/$/, "")}${path}`;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
