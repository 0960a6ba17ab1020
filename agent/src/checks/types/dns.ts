import { Resolver } from "node:dns/promises";
import type { DnsSpec } from "@realmwatch/shared/config/check-spec";
import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import { type FamilyLookup, lookUpBothFamilies } from "../../platform/dns/look-up-families.ts";
import type { ActiveCheckType } from "../check-type.ts";
import { describeResolveFailure, formatHostPort } from "../connect/connect-host.ts";
import { formatElapsed, secondsPerfPoint } from "../judge/elapsed.ts";

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
export const dnsCheckType: ActiveCheckType<DnsSpec> = {
  type: "dns",
  onTimeout: "critical",
  async run(spec, { timeoutMs }, { clock, resolver }, signal) {
    const server = await resolver.resolve(spec.host, signal);
    if (!server.ok) return outcome("critical", describeResolveFailure(spec.host, server.error));
    const at = `at ${formatHostPort(spec)}`;
    const waitMs = Math.max(1, Math.floor(Math.min(againMs, timeoutMs / 3)));
    const asking = new Resolver({ timeout: waitMs, tries: triesIn(timeoutMs, waitMs) });
    asking.setServers([formatHostPort({ host: server.value[0] ?? "", port: spec.port })]);
    const cancel = (): void => asking.cancel();
    signal.addEventListener("abort", cancel, { once: true });

    const startedMs = clock.monotonic();
    const answers = await lookUpBothFamilies(asking, spec.name, { clock, patienceMs: 2 * waitMs });
    const timeMs = clock.monotonic() - startedMs;
    signal.removeEventListener("abort", cancel);
    cancel(); // What is not answered yet.
    const addresses = answers.flatMap((answer) => answer.addresses);
    if (addresses.length === 0) {
      const code = codeThatSaysMore(answers);
      // Asked as often as fits: the deadline is when that is told.
      return code === "ETIMEOUT"
        ? untilAborted(signal)
        : outcome("critical", `${spec.name} ${at}: ${codes[code] ?? code}`);
    }
    const output = `${spec.name} is ${showAddresses(addresses)} ${at} in ${formatElapsed(timeMs)}${sayUnanswered(answers)}`;
    return outcome("ok", output, [secondsPerfPoint("time", timeMs)]);
  },
};

type Answers = readonly [four: FamilyLookup, six: FamilyLookup];

/** c-ares doubles the wait from try to try and takes up to half of it off again; it repeats at once what is malformed. */
const triesIn = (timeoutMs: number, waitMs: number): number => Math.ceil(Math.log2((2 * timeoutMs) / waitMs + 1));

/** Both questions failed. Of two codes the one that says more: "no address" is only half an answer. */
const codeThatSaysMore = (answers: Answers): string =>
  answers.map(({ code }) => code || "ENODATA").find((code) => code !== "ENODATA") ?? "ENODATA";

function sayUnanswered([four, six]: Answers): string {
  const silent = [four.code === "ETIMEOUT" ? "A" : "", six.code === "ETIMEOUT" ? "AAAA" : ""].join("");
  return silent === "" ? "" : `, ${silent} unanswered`;
}

/** The verdict of the deadline counts, not this one. */
const untilAborted = (signal: AbortSignal): Promise<Outcome> =>
  new Promise((resolve) => {
    const end = (): void => resolve(outcome("critical", "interrupted"));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });

function showAddresses(addresses: readonly string[]): string {
  const shown = addresses.slice(0, shownAddresses).join(", ");
  return addresses.length > shownAddresses ? `${shown} and ${addresses.length - shownAddresses} more` : shown;
}
