import type { Pair } from "@realmwatch/proto/svc/v1/pair_pb";
import { pairProblem, pairRoleOf, standbyState, takeoverText } from "@realmwatch/shared/view/pair-state";
import { pairFromProto } from "@realmwatch/shared/wire/pair-status";
import { formatLocalTime } from "../../output/format-object.ts";
import { printableText } from "../../output/printable-text.ts";
import type { Screen } from "../../output/table.ts";

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;
const left = (ms: number): string => (ms > 0 ? `ends in ${seconds(ms)}` : "none");

/** State of a pair, one line for each of its facts. */
export function formatPair(pair: Pair, screen: Screen): string {
  const { self, active, standby, lastTakeover: last, term } = pair;
  const facts: readonly (readonly [name: string, text: string])[] = [
    ["member", `${self}, ${pairRoleOf(pair)} since ${formatLocalTime(pair.since, screen)}`],
    ["active", active === "" ? "unknown" : active],
    ["standby", standby === "" ? standbyState(pair) : `${standby}, ${standbyState(pair)}`],
    ["lease", `${left(pair.leaseRemainingMs)} (${seconds(pair.leaseMs)}, margin ${seconds(pair.marginMs)})`],
    ["promise", left(pair.promiseRemainingMs)],
    ["term", term === 0n ? "unknown" : String(term)],
    ["last takeover", last === undefined ? "none" : `${formatLocalTime(last.at, screen)}, ${takeoverText(last)}`],
    ["documents", pair.documentsDiffer ? "differ" : "the same"],
    ["problem", pairProblem(pair) || "none"],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, text]) => printableText(`${name.padEnd(width)}  ${text}`)).join("\n");
}

/** State of a pair for `-output json`, with numbers for times, which are spans in ms. */
export function pairJson(pair: Pair): Readonly<Record<string, unknown>> {
  const status = pairFromProto(pair);
  if (status === undefined) return { self: pair.self };
  const { sinceMs, lastTakeover, ...rest } = status;
  const dated = lastTakeover && (({ atMs, ...takeover }) => ({ at: isoTime(atMs), ...takeover }))(lastTakeover);
  return { ...rest, since: isoTime(sinceMs), ...(dated && { lastTakeover: dated }) };
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
