import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { allowAllOutbound, type OutboundPolicy } from "@realmwatch/shared/platform/network/outbound-policy";
import { openHostsFile } from "./hosts-file.ts";
import { type FamilyLookup, lookUpBothFamilies } from "./look-up-families.ts";
import { candidateNames, type DnsSearchList, parseResolvConf } from "./resolv-conf.ts";

/** Reason why a name could not be resolved. */
export type ResolveFailure = "unknown_name" | "no_address" | "server_failed" | "timed_out" | "aborted" | "denied";

/** Resolves names without getaddrinfo(3), which blocks: a few unanswered names would occupy every libuv thread. */
export interface NameResolver {
  /**
   * Returns the addresses of `host`, a name or an address (IPv6 without brackets): at least one, IPv4 first, and none
   * that the outbound policy denies; `denied` when it denies all. Never rejects; once `signal` aborts the result is
   * `aborted`.
   */
  resolve(host: string, signal: AbortSignal): Promise<Result<readonly string[], ResolveFailure>>;
  /** Networks whose addresses are never returned; clients that connect to addresses by themselves check it. */
  readonly outbound: OutboundPolicy;
}

export type ResolverOptions = {
  readonly clock: Clock;
  /** Networks whose addresses are never returned. Default: none. */
  readonly outbound?: OutboundPolicy;
  /** Name servers, each `address` or `address:port`. Default: those of the system. */
  readonly servers?: readonly string[];
  /** Path; default `/etc/hosts`. */
  readonly hostsFile?: string;
  /** Path; default `/etc/resolv.conf`. */
  readonly resolvConf?: string;
};

/** Cache time of answers, ms: shares a look-up between concurrent checks, while the next check sees a DNS change. */
const cacheMs = 5_000;
const cacheFailureMs = 1_000;
const maxCached = 10_000;
/** Timeout of the first query to a server, ms; c-ares doubles it for the second and last one. */
const tryMs = 1_500;
/** Time that one address family waits for the other, ms: longer than c-ares takes to repeat a lost query. */
const patienceMs = 2_000;
/** Interval at which the search list is reread, ms. */
const rereadMs = 30_000;

type Answer = Result<readonly string[], ResolveFailure>;
type Cached = { readonly answer: Promise<Answer>; untilMs: number };

/** Opens a resolver that uses the hosts file and DNS over c-ares. Concurrent look-ups of a name share one query. */
export function openNameResolver(options: ResolverOptions): NameResolver {
  const {
    clock,
    outbound = allowAllOutbound,
    servers,
    hostsFile = "/etc/hosts",
    resolvConf = "/etc/resolv.conf",
  } = options;
  const inHostsFile = openHostsFile(hostsFile);
  let dns = openDns();
  let rule: { readonly value: Promise<DnsSearchList>; readonly untilMs: number } | undefined;

  function openDns(): Resolver {
    const opened = new Resolver({ timeout: tryMs, tries: 2 });
    if (servers !== undefined) opened.setServers([...servers]);
    return opened;
  }

  /** Current search list. Reopens the resolver when it is reread, because the name servers may have changed as well. */
  function searchRule(): Promise<DnsSearchList> {
    if (rule === undefined || clock.monotonic() >= rule.untilMs) {
      const value = readFile(resolvConf, "utf8").then(parseResolvConf, () => parseResolvConf(""));
      if (rule !== undefined) dns = openDns();
      rule = { value, untilMs: clock.monotonic() + rereadMs };
    }
    return rule.value;
  }

  async function lookUp(name: string): Promise<Answer> {
    const listed = await inHostsFile(name);
    if (listed.length > 0) return ok(ipv4First(listed));
    if (name === "localhost" || name.endsWith(".localhost")) return ok(["127.0.0.1", "::1"]);
    let worst: Answer = fail("unknown_name");
    for (const candidate of candidateNames(name, await searchRule())) {
      const answer = answerOf(await lookUpBothFamilies(dns, candidate, { clock, patienceMs }));
      if (answer.ok) return answer;
      if (answer.error !== "unknown_name") worst = answer;
    }
    return worst;
  }

  const lookUpCached = cached(clock, lookUp);
  return {
    outbound,
    resolve: async (host, signal) => {
      if (isIP(host) !== 0) return withoutDenied(ok([host]), outbound);
      if (signal.aborted) return fail("aborted");
      return withoutDenied(await untilAborted(lookUpCached(host.toLowerCase()), signal), outbound);
    },
  };
}

/** Keeps the answers of `lookUp` for a while; those of concurrent calls are one. */
function cached(clock: Clock, lookUp: (name: string) => Promise<Answer>): (name: string) => Promise<Answer> {
  const cache = new Map<string, Cached>();
  return (name) => {
    const nowMs = clock.monotonic();
    const found = cache.get(name);
    if (found !== undefined && nowMs < found.untilMs) return found.answer;
    if (cache.size >= maxCached) for (const [old, { untilMs }] of cache) if (nowMs >= untilMs) cache.delete(old);
    if (cache.size >= maxCached) cache.clear();
    const fresh: Cached = { answer: lookUp(name), untilMs: Number.POSITIVE_INFINITY };
    cache.set(name, fresh);
    void fresh.answer.then((answer) => {
      fresh.untilMs = clock.monotonic() + (answer.ok ? cacheMs : cacheFailureMs);
    });
    return fresh.answer;
  };
}

function withoutDenied(answer: Answer, outbound: OutboundPolicy): Answer {
  if (!answer.ok || !answer.value.some(outbound.denies)) return answer;
  const allowed = answer.value.filter((address) => !outbound.denies(address));
  return allowed.length > 0 ? ok(allowed) : fail("denied");
}

const ipv4First = (addresses: readonly string[]): string[] => [...addresses].sort((a, b) => isIP(a) - isIP(b));

function answerOf([four, six]: readonly [FamilyLookup, FamilyLookup]): Answer {
  const found = [...four.addresses, ...six.addresses];
  return found.length > 0 ? ok(found) : fail(failureOf([four.code || "ENODATA", six.code || "ENODATA"]));
}

/** Combined reason of two failed queries: a name that exists for one address family exists. */
function failureOf(codes: readonly string[]): ResolveFailure {
  if (codes.includes("ETIMEOUT")) return "timed_out";
  if (codes.some((code) => !["ENODATA", "ENOTFOUND", "EBADNAME"].includes(code))) return "server_failed";
  return codes.includes("ENODATA") ? "no_address" : "unknown_name";
}

function untilAborted(answer: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const abort = (): void => resolve(fail("aborted"));
    signal.addEventListener("abort", abort, { once: true });
    void answer.then((value) => {
      signal.removeEventListener("abort", abort);
      resolve(value);
    });
  });
}
