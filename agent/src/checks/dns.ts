import { Resolver } from "node:dns/promises";
import type { DnsSpec } from "@realmwatch/shared/config/check-spec";
import { outcome } from "@realmwatch/shared/words/outcome";
import { codeOf } from "../run/say-error.ts";
import type { ActiveCheckType } from "./check-type.ts";
import { sayUnresolved, showHostPort } from "./connect-host.ts";
import { secondsPoint, showSpan } from "./seconds.ts";

/** More addresses than these are only counted. */
const shownAddresses = 10;

/** A question that may have been lost is asked again after this or a third of the timeout, ms. */
const againMs = 1_500;

/** c-ares' codes in DNS' own words. */
const codes: Readonly<Record<string, string>> = {
  ENOTFOUND: "NXDOMAIN",
  ENODATA: "no address",
  ESERVFAIL: "SERVFAIL",
  EREFUSED: "REFUSED",
  ENOTIMP: "NOTIMP",
  EFORMERR: "FORMERR",
  EBADRESP: "malformed answer",
  EBADNAME: "no valid name",
  ETIMEOUT: "no answer",
  ECONNREFUSED: "connection refused",
};

/** [NC3] Asks one server for A and AAAA of a name: any address is ok, else critical with what the server said. */
export const dns: ActiveCheckType<DnsSpec> = {
  type: "dns",
  onTimeout: "critical",
  async run(spec, { timeoutMs }, { clock, resolver }, signal) {
    const server = await resolver.resolve(spec.host, signal);
    if (!server.ok) return outcome("critical", sayUnresolved(spec.host, server.error));
    // c-ares doubles the wait from try to try; the check's own deadline ends them.
    const asking = new Resolver({ timeout: Math.max(1, Math.floor(Math.min(againMs, timeoutMs / 3))), tries: 100 });
    asking.setServers([showHostPort({ host: server.value[0] ?? "", port: spec.port })]);
    const cancel = (): void => asking.cancel();
    signal.addEventListener("abort", cancel, { once: true });

    const startedMs = clock.monotonic();
    const answers = await Promise.allSettled([asking.resolve4(spec.name), asking.resolve6(spec.name)]);
    const timeMs = clock.monotonic() - startedMs;
    signal.removeEventListener("abort", cancel);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const at = `at ${showHostPort(spec)}`;
    if (addresses.length === 0) return outcome("critical", `${spec.name} ${at}: ${sayRefusal(answers)}`);
    const output = `${spec.name} is ${showAddresses(addresses)} ${at} in ${showSpan(timeMs)}`;
    return outcome("ok", output, [secondsPoint("time", timeMs)]);
  },
};

/** Both questions failed. Of two codes the one that says more: "no address" is only half an answer. */
function sayRefusal(answers: readonly PromiseSettledResult<unknown>[]): string {
  const said = answers.map((answer) => (answer.status === "rejected" ? codeOf(answer.reason) : "ENODATA"));
  const code = said.find((each) => each !== "ENODATA") ?? "ENODATA";
  return codes[code] ?? code;
}

function showAddresses(addresses: readonly string[]): string {
  const shown = addresses.slice(0, shownAddresses).join(", ");
  return addresses.length > shownAddresses ? `${shown} and ${addresses.length - shownAddresses} more` : shown;
}
