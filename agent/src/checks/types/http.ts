import type { Socket } from "node:net";
import type { HttpSpec } from "@realmwatch/shared/config/check-spec";
import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { CheckStatus } from "@realmwatch/shared/model/status";
import { isWeb, parseWebUrl } from "@realmwatch/shared/text/web-url";
import { describeErrorCode } from "../../platform/network/describe-error.ts";
import type { ActiveCheckType, CheckDependencies } from "../check-type.ts";
import { connectHost, formatHostPort, type HostPort } from "../connect/connect-host.ts";
import { getOnce, type HttpExchangeResult, maxBodyBytes } from "../connect/http-exchange.ts";
import { openTls } from "../connect/open-tls.ts";
import { formatElapsed, secondsPerfPoint } from "../judge/elapsed.ts";

const maxRedirects = 5;

/** ms spent in each phase, over all redirects. */
type Phases = { dnsMs: number; connectMs: number; tlsMs: number; firstByteMs: number };

/**
 * [NC2] GET over a fresh connection, following at most 5 redirects; the last answer counts. Outputs name host and port and
 * never the URL, whose path and user may be secret.
 */
export const httpCheckType: ActiveCheckType<HttpSpec> = {
  type: "http",
  onTimeout: "critical",
  async run({ url }, _context, tools, signal) {
    const phases: Phases = { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0 };
    const startedMs = tools.clock.monotonic();
    const read = parseWebUrl(url);
    if (!read.ok) return outcome("unknown", `the check's url ${read.error}`);
    const { url: first, zone } = read.value;
    const targetOf = (at: URL): HostPort => hostPortOf(at, at.hostname === first.hostname ? zone : "");
    const answer = await follow(first, (at) => get(at, targetOf(at), { phases, ...tools, signal }));
    if (!answer.ok) return outcome("critical", answer.error);
    return judge(answer.value, phases, tools.clock.monotonic() - startedMs);
  },
};

type Ask = (url: URL) => Promise<Result<HttpExchangeResult, string>>;

async function follow(first: URL, ask: Ask): Promise<Result<HttpExchangeResult, string>> {
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const answer = await ask(url);
    if (!answer.ok || answer.value.location === "") return answer;
    if (redirects === maxRedirects) return fail(`more than ${maxRedirects} redirects`);
    const next = URL.parse(answer.value.location, url);
    if (next === null) return fail(`${formatHostPort(hostPortOf(url))} redirects to what is no URL`);
    if (!isWeb(next)) return fail(`redirect to ${next.protocol} refused: only http and https`);
    url = keepingUser(url, next);
  }
}

/** Servers write the whole URL of a place of their own, without the user who asked; another server is told none. */
function keepingUser(from: URL, to: URL): URL {
  if (from.origin === to.origin && to.username === "" && to.password === "") {
    to.username = from.username;
    to.password = from.password;
  }
  return to;
}

type Means = CheckDependencies & { readonly phases: Phases; readonly signal: AbortSignal };

async function get(
  url: URL,
  target: HostPort,
  { phases, ...tools }: Means,
): Promise<Result<HttpExchangeResult, string>> {
  const connected = await connectHost(target, tools, tools.signal);
  if (!connected.ok) return connected;
  phases.dnsMs += connected.value.dnsMs;
  phases.connectMs += connected.value.connectMs;
  let socket: Socket = connected.value.socket;
  if (url.protocol === "https:") {
    const startedMs = tools.clock.monotonic();
    const wish = { host: target.host, roots: tools.trustedRoots(), verify: true, protocols: ["http/1.1"] };
    const secured = await openTls(socket, wish, tools.signal);
    if (!secured.ok) return fail(`TLS with ${formatHostPort(target)}: ${describeErrorCode(secured.error)}`);
    phases.tlsMs += tools.clock.monotonic() - startedMs;
    socket = secured.value;
  }
  const answer = await getOnce(url, socket, tools);
  if (!answer.ok) return fail(`no answer from ${formatHostPort(target)}: ${answer.error}`);
  phases.firstByteMs += answer.value.firstByteMs;
  return ok(answer.value);
}

const hostPortOf = (url: URL, zone = ""): HostPort => ({
  host: url.hostname.replace(/^\[(.*)\]$/, "$1") + zone,
  port: url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port),
});

function judge({ code, reason, bodyBytes, endless }: HttpExchangeResult, phases: Phases, timeMs: number): Outcome {
  const size = endless ? `more than ${maxBodyBytes} bytes, the rest unread` : `${bodyBytes} bytes`;
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
