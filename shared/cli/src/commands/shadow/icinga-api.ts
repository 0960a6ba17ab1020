import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { answerTooLarge, readAnswerText } from "../../connection/answer-text.ts";
import { type IcingaStatusObject, type IcingaType, icingaTypes, observeIcinga } from "./observe-icinga.ts";
import type { ObservedSystem } from "./observed-object.ts";

/** Login of an `ApiUser` of Icinga 2. */
type IcingaLogin = { readonly user: string; readonly password: string };

/** Maximum time of a request, ms. */
const timeoutMs = 60_000;

/** Shortest time between two readings, as a multiple of the time that a reading takes. */
const pauseFactor = 4;

/**
 * Reads hosts, services and notifications from the REST API of Icinga 2 at `url`, `https://HOST:5665`. A reading of
 * many objects occupies Icinga 2 for seconds, so that at most a fifth of the time is spent on readings.
 */
export function icingaApi(url: URL, login: IcingaLogin, clock: Clock): ObservedSystem {
  const agent = new Agent({ keepAlive: true });
  const authorization = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString("base64")}`;
  let nextAtMs = Number.NEGATIVE_INFINITY;
  return {
    name: url.origin,
    async read() {
      const startedAtMs = clock.monotonic();
      if (startedAtMs < nextAtMs) return ok(undefined);
      const found: IcingaStatusObject[] = [];
      for (const type of Object.values(icingaTypes)) {
        const objects = await queryObjects({ url, agent, authorization, user: login.user }, type);
        if (!objects.ok) return objects;
        found.push(...objects.value);
      }
      const endedAtMs = clock.monotonic();
      nextAtMs = endedAtMs + pauseFactor * (endedAtMs - startedAtMs);
      return ok(observeIcinga(found));
    },
  };
}

type Api = {
  readonly url: URL;
  readonly agent: Agent;
  readonly authorization: string;
  readonly user: string;
};

/** All objects of a type. Fails with a sentence that names the address. */
async function queryObjects(
  { url, agent, authorization, user }: Api,
  { path, permission, attributes }: IcingaType,
): Promise<Result<readonly IcingaStatusObject[], string>> {
  const address = new URL(`/v1/objects/${path}`, url);
  try {
    const sent = request(address, {
      agent,
      // The names of the attributes are sent as a body, which Icinga 2 takes with this method only.
      method: "POST",
      headers: { authorization, accept: "application/json", "x-http-method-override": "GET" },
      signal: AbortSignal.timeout(timeoutMs),
    });
    sent.end(JSON.stringify({ attrs: attributes }));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const body = await readAnswerText(response);
    if (body === undefined) return fail(`${url.origin} ${answerTooLarge}`);
    // Icinga 2 has no objects of a type that its configuration does not use.
    if (response.statusCode === 404 && body.includes("No objects found")) return ok([]);
    if (response.statusCode === 401) return fail(`${url.origin} refused the password of API user ${user}`);
    if (response.statusCode !== 200)
      return fail(
        `${address} answered ${response.statusCode}: the ApiUser ${user} needs the permission ${permission}; ${statusIn(body)}`,
      );
    const objects = resultsIn(body);
    return objects === undefined ? fail(`${address}: the answer is not that of Icinga 2`) : ok(objects);
  } catch (error) {
    return fail(`${address} cannot be read: ${causeOf(error as NodeJS.ErrnoException)}`);
  }
}

/** Objects of an answer; undefined when it has another form. */
function resultsIn(body: string): readonly IcingaStatusObject[] | undefined {
  const answer = parsed(body) as { readonly results?: unknown } | null | undefined;
  const results = answer?.results;
  return Array.isArray(results) && results.every(({ attrs, type } = {}) => attrs !== undefined && type !== undefined)
    ? results
    : undefined;
}

/** Sentence of a refusal. */
function statusIn(body: string): string {
  const answer = parsed(body) as { readonly status?: unknown } | null | undefined;
  return typeof answer?.status === "string" ? answer.status : "it gives no reason";
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Codes of certificates whose authority is not known. */
const unknownAuthority = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_)/;

function causeOf({ code, name, message }: NodeJS.ErrnoException): string {
  if (code === "ABORT_ERR" || name === "TimeoutError" || name === "AbortError")
    return `no answer within ${timeoutMs / 1_000}s`;
  if (code !== undefined && unknownAuthority.test(code))
    return "its certificate is not known; set NODE_EXTRA_CA_CERTS to the ca.crt of Icinga 2";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return "its certificate is for another name; use the name of the node in the URL";
  return code ?? message;
}
