import type { Socket } from "node:net";
import type { HttpSpec } from "@realmwatch/shared/config/check-kinds/http";
import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { CheckStatus } from "@realmwatch/shared/model/status";
import { isHttpUrl, parseWebUrl } from "@realmwatch/shared/text/web-url";
import { describeErrorCode } from "../../platform/network/describe-error.ts";
import type { ActiveCheckType, CheckDependencies } from "../check-type.ts";
import { connectHost, formatHostPort, type HostPort } from "../connect/connect-host.ts";
import { getOnce, type HttpExchangeResult, maxBodyBytes } from "../connect/http-exchange.ts";
import { openTls } from "../connect/open-tls.ts";
import { formatElapsed, secondsPerfPoint } from "../judge/elapsed.ts";

const maxRedirects = 5;

/** Time of each phase, summed over all redirects, ms. */
type Phases = { dnsMs: number; connectMs: number; tlsMs: number; firstByteMs: number };

/**
 * [NC2] Sends a GET over a new connection and follows at most 5 redirects; the last response is judged. Outputs contain
 * host and port, but never the URL, whose path and user may be secret.
 */
export const httpCheckType: ActiveCheckType<HttpSpec> = {
  type: "http",
  onTimeout: "critical",
  async run({ url }, _context, dependencies, signal) {
    const phases: Phases = { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0 };
    const startedMs = dependencies.clock.monotonic();
    const read = parseWebUrl(url);
    if (!read.ok) return outcome("unknown", `the check's url ${read.error}`);
    const { url: first, zone } = read.value;
    const targetOf = (at: URL): HostPort => hostPortOf(at, at.hostname === first.hostname ? zone : "");
    const answer = await follow(first, (at) => get(at, targetOf(at), { phases, ...dependencies, signal }));
    if (!answer.ok) return outcome("critical", answer.error);
    return judge(answer.value, phases, dependencies.clock.monotonic() - startedMs);
  },
};

type GetUrl = (url: URL) => Promise<Result<HttpExchangeResult, string>>;

async function follow(first: URL, getUrl: GetUrl): Promise<Result<HttpExchangeResult, string>> {
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const answer = await getUrl(url);
    if (!answer.ok || answer.value.location === "") return answer;
    if (redirects === maxRedirects) return fail(`more than ${maxRedirects} redirects`);
    const next = URL.parse(answer.value.location, url);
    if (next === null) return fail(`${formatHostPort(hostPortOf(url))} redirects to an invalid URL`);
    if (!isHttpUrl(next)) return fail(`redirect to ${next.protocol} refused: only http and https`);
    url = withUserOf(url, next);
  }
}

/** Copies the user to a redirect within the same origin, as servers omit it; another server does not receive it. */
function withUserOf(from: URL, to: URL): URL {
  if (from.origin === to.origin && to.username === "" && to.password === "") {
    to.username = from.username;
    to.password = from.password;
  }
  return to;
}

type GetContext = CheckDependencies & { readonly phases: Phases; readonly signal: AbortSignal };

async function get(
  url: URL,
  target: HostPort,
  { phases, ...dependencies }: GetContext,
): Promise<Result<HttpExchangeResult, string>> {
  const connected = await connectHost(target, dependencies, dependencies.signal);
  if (!connected.ok) return connected;
  phases.dnsMs += connected.value.dnsMs;
  phases.connectMs += connected.value.connectMs;
  let socket: Socket = connected.value.socket;
  if (url.protocol === "https:") {
    const startedMs = dependencies.clock.monotonic();
    const options = { host: target.host, roots: dependencies.trustedRoots(), verify: true, protocols: ["http/1.1"] };
    const secured = await openTls(socket, options, dependencies.signal);
    if (!secured.ok) return fail(`TLS with ${formatHostPort(target)}: ${describeErrorCode(secured.error)}`);
    phases.tlsMs += dependencies.clock.monotonic() - startedMs;
    socket = secured.value;
  }
  const answer = await getOnce(url, socket, dependencies);
  if (!answer.ok) return fail(`no answer from ${formatHostPort(target)}: ${answer.error}`);
  phases.firstByteMs += answer.value.firstByteMs;
  return ok(answer.value);
}

const hostPortOf = (url: URL, zone = ""): HostPort => ({
  host: url.hostname.replace(/^\[(.*)\]$/, "$1") + zone,
  port: url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port),
});

function judge({ code, reason, bodyBytes, tooLong }: HttpExchangeResult, phases: Phases, timeMs: number): Outcome {
  const size = tooLong ? `more than ${maxBodyBytes} bytes, the rest unread` : `${bodyBytes} bytes`;
  const status = reason === "" ? `HTTP ${code}` : `HTTP ${code} ${reason.slice(0, 100)}`;
  return outcome(statusOf(code), `${status} - ${size} in ${formatElapsed(timeMs)}`, [
    secondsPerfPoint("time", timeMs),
    secondsPerfPoint("time_dns", phases.dnsMs),
    secondsPerfPoint("time_connect", phases.connectMs),
    secondsPerfPoint("time_tls", phases.tlsMs),
    secondsPerfPoint("time_firstbyte", phases.firstByteMs),
    perfPoint("size", bodyBytes, "B"),
  ]);
}

function statusOf(code: number): CheckStatus {
  if (code >= 200 && code < 400) return "ok";
  return code >= 400 && code < 500 ? "warning" : "critical";
}
