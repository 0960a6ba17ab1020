import type { DatabaseSync } from "node:sqlite";
import { auditHash, type ChainLink, chainStart, equalsHash, parseChainLink } from "./chain-link.ts";

/** Names in the `meta` table under which the two ends of a chain are stored. */
export const chainEndNames: readonly string[] = ["audit_anchor", "audit_head"];

/**
 * Compares the two ends of a chain with those stored in `meta`. Without this check, new records would continue a
 * truncated chain unnoticed. The records in between are checked by `audit verify`.
 *
 * @returns the problem; undefined when both ends match
 */
export function findChainEndDamage(db: DatabaseSync): string | undefined {
  const stored = (name: string): ChainLink | undefined => {
    const row = db.prepare("SELECT value FROM meta WHERE name = ?").get(name);
    if (row === undefined) return chainStart;
    const link = parseChainLink(row["value"]);
    return link.seq === 0 ? undefined : link;
  };
  const [anchor, head] = chainEndNames.map(stored);
  if (anchor === undefined || head === undefined) return "the stored ends of its audit chain are damaged";
  const [first, last] = ["ASC", "DESC"].map((order) =>
    db.prepare(`SELECT seq, json, hash FROM audit ORDER BY seq ${order} LIMIT 1`).get(),
  );
  if (last === undefined || first === undefined)
    return head.seq === anchor.seq && equalsHash(head.hash, anchor.hash)
      ? undefined
      : `its audit records end at ${anchor.seq} instead of ${head.seq}`;
  if (Number(last["seq"]) !== head.seq || !equalsHash(last["hash"], head.hash))
    return `audit record ${last["seq"]} is not the last one written`;
  const follows = auditHash(anchor.hash, anchor.seq + 1, String(first["json"]));
  if (Number(first["seq"]) !== anchor.seq + 1 || !equalsHash(first["hash"], follows))
    return `audit record ${first["seq"]} is not the first one retained`;
  return undefined;
}
