import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { version } from "@realmwatch/shared/model/version";
import { OutboundDenied, outboundConnector } from "@realmwatch/shared/platform/network/outbound-policy";
import { Agent, type Dispatcher, type FormData, request } from "undici";
import type { NameResolver } from "../platform/dns/name-resolver.ts";
import { describeErrorCode } from "../platform/network/describe-error.ts";
import { errorCauses, errorCodesIn } from "../platform/network/error-causes.ts";
import { NameNotResolved, socketLookup } from "../platform/network/name-lookup.ts";
import { withoutSentSecrets } from "../platform/network/sent-secrets.ts";
import type { DatasourceFailure } from "./datasource.ts";

type DatasourceRequest = {
  /** Path and parameters below the datasource's URL. */
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Form fields in the body, or a body with files. */
  readonly body?: URLSearchParams | FormData;
};

export type DatasourceResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Returns a part of the text for an error message; empty when it repeats a credential of the request. */
  quote(part: string): string;
};

export type DatasourceEndpoint = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** HTTP client of datasources. Follows no redirect and opens no connection to a denied address. */
export type DatasourceHttp = {
  /** Sends a POST request. Never rejects. */
  send(
    endpoint: DatasourceEndpoint,
    request: DatasourceRequest,
    signal: AbortSignal,
  ): Promise<Result<DatasourceResponse, DatasourceFailure>>;
  close(): Promise<void>;
};

/** Longest time of a request, ms. */
const limitMs = 20_000;
/** Most bytes of an answer. */
const maxAnswerBytes = 32 * 1024 * 1024;

export function openDatasourceHttp({ clock, resolver }: { clock: Clock; resolver: NameResolver }): DatasourceHttp {
  const agent = new Agent({
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: outboundConnector(resolver.outbound, { timeout: 5_000, lookup: socketLookup(resolver) }),
  });
  return {
    async send({ url, headers }, { path, parameters = {}, body }, signal) {
      const target = targetOf(url, path);
      if (target === undefined) return fail({ kind: "unusable", why: "has no http or https URL" });
      for (const [name, value] of Object.entries(parameters)) target.url.searchParams.set(name, value);
      const late = new AbortController();
      const cancel = clock.after(limitMs, () => late.abort());
      try {
        const response = await request(target.url, {
          method: "POST",
          dispatcher: agent,
          signal: AbortSignal.any([signal, late.signal]),
          headers: {
            "user-agent": `Realmwatch/${version}`,
            ...target.headers,
            ...withLowerNames(headers),
            ...typeOf(body),
          },
          ...(body === undefined ? {} : { body: body instanceof URLSearchParams ? body.toString() : body }),
        });
        const text = await readAll(response.body);
        if (text === undefined) return fail({ kind: "too_large", why: `answered more than ${maxAnswerBytes} bytes` });
        const sent = { url, headers: { ...target.headers, ...headers } };
        const quote = (part: string): string => withoutSentSecrets(part, sent);
        return ok({ status: response.statusCode, headers: response.headers, text, quote });
      } catch (error) {
        if (late.signal.aborted) return fail({ kind: "unavailable", why: `did not answer within ${limitMs / 1000} s` });
        return fail({ kind: "unavailable", why: signal.aborted ? "did not answer in time" : whyNot(error) });
      } finally {
        cancel();
      }
    },
    close: () => agent.destroy(),
  };
}

const typeOf = (body: DatasourceRequest["body"]): Record<string, string> =>
  body instanceof URLSearchParams ? { "content-type": "application/x-www-form-urlencoded" } : {};

const withLowerNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** URL of a path below the datasource's URL; a user and password of the URL become a header. */
function targetOf(base: string, path: string): { url: URL; headers: Record<string, string> } | undefined {
  const url = URL.parse(base);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  url.pathname = `${url.pathname.replace(/\/$/, "")}${path}`;
  const { username, password } = url;
  if (username === "" && password === "") return { url, headers: {} };
  url.username = "";
  url.password = "";
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return { url, headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` } };
  } catch {
    return undefined;
  }
}

/** The whole body as text; undefined when it is too large. */
async function readAll(body: Dispatcher.ResponseData["body"]): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Reason of a failed connection, by error codes only: messages contain addresses, which may be secret. */
function whyNot(error: unknown): string {
  const causes = errorCauses(error);
  const unresolved = causes.find((cause) => cause instanceof NameNotResolved);
  const isDenied = unresolved instanceof NameNotResolved && unresolved.failure === "denied";
  if (isDenied || causes.some((cause) => cause instanceof OutboundDenied))
    return "has an address to which -outbound-deny denies connections";
  if (unresolved !== undefined) return "has a name that cannot be resolved";
  const [code] = causes.flatMap(errorCodesIn);
  return code === undefined ? "cannot be reached" : `cannot be reached: ${describeErrorCode(code)}`;
}
