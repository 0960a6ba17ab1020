import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { openHostsFile } from "./hosts-file.ts";
import { type FamilyLookup, lookUpBothFamilies } from "./look-up-families.ts";
import { candidateNames, type DnsSearchList, parseResolvConf } from "./resolv-conf.ts";

/** Why a name has no address. */
export type ResolveFailure = "unknown_name" | "no_address" | "server_failed" | "timed_out" | "aborted";

/** Finds the addresses of names without the system's blocking look-up, of which a few dead names occupy every thread. */
export interface NameResolver {
  /**
   * The addresses of `host`, a name or an address (IPv6 without brackets), at least one, IPv4 first. Never rejects;
   * once `signal` aborts the answer is `aborted`.
   */
  resolve(host: string, signal: AbortSignal): Promise<Result<readonly string[], ResolveFailure>>;
}

export type ResolverOptions = {
  readonly clock: Clock;
  /** `address` or `address:port` each. Default: those of the system. */
  readonly servers?: readonly string[];
  /** Default `/etc/hosts`. */
  readonly hostsFile?: string;
  /** Default `/etc/resolv.conf`. */
  readonly resolvConf?: string;
};

/** Answers are kept so long, ms: about one round of checks that share a name, so that a change is seen by the next. */
const keepMs = 5_000;
const keepFailureMs = 1_000;
const keepAtMost = 10_000;
/** For one question to one server, ms; c-ares doubles it for the second and last try. */
const tryMs = 1_500;
/** How long one family of addresses waits for the other, ms: longer than a lost question takes to be asked again. */
const patienceMs = 2_000;
/** How often the search list is looked at, ms. */
const rereadMs = 30_000;

type Answer = Result<readonly string[], ResolveFailure>;
type Kept = { readonly answer: Promise<Answer>; untilMs: number };

/** A resolver that asks DNS over c-ares, honours the hosts file, and asks once where many want the same name. */
export function openNameResolver(options: ResolverOptions): NameResolver {
  const { clock, servers, hostsFile = "/etc/hosts", resolvConf = "/etc/resolv.conf" } = options;
  const inHostsFile = openHostsFile(hostsFile);
  const kept = new Map<string, Kept>();
  let dns = openDns();
  let rule: { readonly value: Promise<DnsSearchList>; readonly untilMs: number } | undefined;

  function openDns(): Resolver {
    const opened = new Resolver({ timeout: tryMs, tries: 2 });
    if (servers !== undefined) opened.setServers([...servers]);
    return opened;
  }

  /** The servers may have changed with the search list: a new channel reads them again. */
  function searchRule(): Promise<DnsSearchList> {
    if (rule === undefined || clock.monotonic() >= rule.untilMs) {
      const value = readFile(resolvConf, "utf8").then(parseResolvConf, () => parseResolvConf(""));
      if (rule !== undefined) dns = openDns();
      rule = { value, untilMs: clock.monotonic() + rereadMs };
    }
    return rule.value;
  }

  async function ask(name: string): Promise<Answer> {
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

  function keep(name: string): Promise<Answer> {
    const nowMs = clock.monotonic();
    const found = kept.get(name);
    if (found !== undefined && nowMs < found.untilMs) return found.answer;
    if (kept.size >= keepAtMost) for (const [old, { untilMs }] of kept) if (nowMs >= untilMs) kept.delete(old);
    if (kept.size >= keepAtMost) kept.clear();
    const fresh: Kept = { answer: ask(name), untilMs: Number.POSITIVE_INFINITY };
    kept.set(name, fresh);
    void fresh.answer.then((answer) => {
      fresh.untilMs = clock.monotonic() + (answer.ok ? keepMs : keepFailureMs);
    });
    return fresh.answer;
  }

  return {
    resolve: async (host, signal) => {
      if (isIP(host) !== 0) return ok([host]);
      if (signal.aborted) return fail("aborted");
      return untilAborted(keep(host.toLowerCase()), signal);
    },
  };
}

const ipv4First = (addresses: readonly string[]): string[] => [...addresses].sort((a, b) => isIP(a) - isIP(b));

function answerOf([four, six]: readonly [FamilyLookup, FamilyLookup]): Answer {
  const found = [...four.addresses, ...six.addresses];
  return found.length > 0 ? ok(found) : fail(failureOf([four.code || "ENODATA", six.code || "ENODATA"]));
}

/** What two refused questions say together: a name that is known to one of them is known. */
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
