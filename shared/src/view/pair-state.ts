import type { Pair, PairTakeover } from "@realmwatch/proto/svc/v1/pair_pb";
import { type HistoryRecord, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { pairRoles } from "../model/pair-status.ts";

/** Word of a member's role; empty for one of a newer server. */
export const pairRoleOf = ({ role }: Pick<Pair, "role">): string => pairRoles[role - 1] ?? "";

/** State of the standby: `in sync`, `12 s behind`, `not in sync` or `no standby is known`. */
export function standbyState({ standby, inSync, lagMs }: Pair): string {
  if (standby === "") return "no standby is known";
  if (inSync) return "in sync";
  return lagMs >= 1_000 ? `${Math.round(lagMs / 1_000)} s behind` : "not in sync";
}

/**
 * Problem of a pair, without a final stop, such as `the standby fra-b is away or behind`; empty while the realm
 * would survive its active member.
 */
export function pairProblem(pair: Pair): string {
  const { self, active, standby, reason, inSync, degraded } = pair;
  const because = reason === "" ? "" : `: ${reason}`;
  switch (pairRoleOf(pair)) {
    case "held":
      return `${self} has lost its right to act and sends nothing${because}`;
    case "waiting":
      return `${self} waits${active === "" ? ", no member is known to be active" : ""}${because}`;
    case "refused":
      return `${self} refuses to take part${because}`;
    default:
      if (inSync && !degraded) return reason === "" ? "" : `the standby ${standby} would not take over${because}`;
      return standby === "" ? `no standby is known${because}` : `the standby ${standby} is away or behind${because}`;
  }
}

/** Change of the active member: `from fra-a to fra-b: expired`. */
export const takeoverText = ({ from, to, reason }: Pick<PairTakeover, "from" | "to" | "reason">): string =>
  `${from === "" ? "" : `from ${from} `}to ${to}: ${reason}`;

/** Event of a pair in the history: a takeover, or the reason of one of the other types. */
export const pairEventText = (record: Pick<HistoryRecord, "type" | "pair">): string => {
  if (record.pair === undefined) return "";
  return record.type === HistoryType.PAIR_TAKEOVER ? takeoverText(record.pair) : record.pair.reason;
};
