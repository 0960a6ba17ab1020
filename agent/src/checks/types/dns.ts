import { Resolver } from "node:dns/promises";
import type { DnsSpec } from "@realmwatch/shared/config/check-kinds/dns";
import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import { type FamilyLookup, lookUpBothFamilies } from "../../platform/dns/look-up-families.ts";
import type { ActiveCheckType } from "../check-type.ts";
import { describeResolveFailure, formatHostPort } from "../connect/connect-host.ts";
import { formatElapsed, secondsPerfPoint } from "../judge/elapsed.ts";

/** Addresses listed in the output; further ones are only counted. */
const listedAddresses = 10;

/** Interval before an unanswered query is repeated, ms; a third of the timeout if that is less. */
const retryMs = 1_500;

/** DNS response codes and descriptions of c-ares error codes. */
const codes: Readonly<Record<string, string>> = {
  ENOTFOUND: "NXDOMAIN",
  ENODATA: "no address",
  ESERVFAIL: "SERVFAIL",
  EREFUSED: "REFUSED",
  ENOTIMP: "NOTIMP",
  EFORMERR: "FORMERR",
  EBADRESP: "malformed answer",
  EBADNAME: "invalid name",
  ETIMEOUT: "no answer",
  ECONNREFUSED: "connection refused",
};

/** [NC3] Queries one server for A and AAAA of a name: any address is ok, else critical with the server's error. */
export const dnsCheckType: ActiveCheckType<DnsSpec> = {
  type: "dns",
  onTimeout: "critical",
  async run(spec, { timeoutMs }, { clock, resolver }, signal) {
    const server = await resolver.resolve(spec.host, signal);
    if (!server.ok) return outcome("critical", describeResolveFailure(spec.host, server.error));
    const at = `at ${formatHostPort(spec)}`;
    const waitMs = Math.max(1, Math.floor(Math.min(retryMs, timeoutMs / 3)));
    const queries = new Resolver({ timeout: waitMs, tries: triesIn(timeoutMs, waitMs) });
    queries.setServers([formatHostPort({ host: server.value[0] ?? "", port: spec.port })]);
    const cancel = (): void => queries.cancel();
    signal.addEventListener("abort", cancel, { once: true });

    const startedMs = clock.monotonic();
    const answers = await lookUpBothFamilies(queries, spec.name, { clock, patienceMs: 2 * waitMs });
    const timeMs = clock.monotonic() - startedMs;
    signal.removeEventListener("abort", cancel);
    cancel(); // Queries that are still unanswered.
    const addresses = answers.flatMap((answer) => answer.addresses);
    if (addresses.length === 0) {
      const code = mostSpecificCode(answers);
      // The queries are repeated until the deadline, whose status then applies.
      return code === "ETIMEOUT"
        ? untilAborted(signal)
        : outcome("critical", `${spec.name} ${at}: ${codes[code] ?? code}`);
    }
    const output = `${spec.name} is ${listAddresses(addresses)} ${at} in ${formatElapsed(timeMs)}${listUnanswered(answers)}`;
    return outcome("ok", output, [secondsPerfPoint("time", timeMs)]);
  },
};

type Answers = readonly [four: FamilyLookup, six: FamilyLookup];

/** Number of tries that fit into the timeout: c-ares doubles the wait with each, less a random part of up to half. */
const triesIn = (timeoutMs: number, waitMs: number): number => Math.ceil(Math.log2((2 * timeoutMs) / waitMs + 1));

/** More specific code of two failed queries: "no address" of one family says nothing about the other. */
const mostSpecificCode = (answers: Answers): string =>
  answers.map(({ code }) => code || "ENODATA").find((code) => code !== "ENODATA") ?? "ENODATA";

function listUnanswered([four, six]: Answers): string {
  const unanswered = [four.code === "ETIMEOUT" ? "A" : "", six.code === "ETIMEOUT" ? "AAAA" : ""].join("");
  return unanswered === "" ? "" : `, ${unanswered} unanswered`;
}

/** Resolves when the check has ended: the outcome of its timeout applies, not this one. */
const untilAborted = (signal: AbortSignal): Promise<Outcome> =>
  new Promise((resolve) => {
    const end = (): void => resolve(outcome("critical", "interrupted"));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });

function listAddresses(addresses: readonly string[]): string {
  const listed = addresses.slice(0, listedAddresses).join(", ");
  return addresses.length > listedAddresses ? `${listed} and ${addresses.length - listedAddresses} more` : listed;
}
