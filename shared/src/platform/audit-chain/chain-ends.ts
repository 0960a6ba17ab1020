import type { DatabaseSync } from "node:sqlite";
import { auditHash, chainStart, equalsHash, type ChainLink, parseChainLink } from "./chain-link.ts";

/** The values beside a chain in which its ends are noted. */
export const chainEndNames: readonly string[] = ["audit_anchor", "audit_head"];

/**
 * Whether the two ends of a chain are those that were noted: a chain whose end is mistaken would go on from there with
 * numbers and hashes of its own. What lies between is for `audit verify`.
 *
 * @returns what is wrong; undefined where nothing is
 */
export function findChainEndDamage(db: DatabaseSync): string | undefined {
  const noted = (name: string): ChainLink | undefined => {
    const row = db.prepare("SELECT value FROM meta WHERE name = ?").get(name);
    if (row === undefined) return chainStart;
    const link = parseChainLink(row["value"]);
    return link.seq === 0 ? undefined : link;
  };
  const [anchor, head] = chainEndNames.map(noted);
  if (anchor === undefined || head === undefined) return "what it notes of its audit records is damaged";
  const [first, last] = ["ASC", "DESC"].map((order) =>
    db.prepare(`SELECT seq, json, hash FROM audit ORDER BY seq ${order} LIMIT 1`).get(),
  );
  if (last === undefined || first === undefined)
    return head.seq === anchor.seq && equalsHash(head.hash, anchor.hash)
      ? undefined
      : `its audit records end at ${anchor.seq} and not at ${head.seq}`;
  if (Number(last["seq"]) !== head.seq || !equalsHash(last["hash"], head.hash))
    return `audit record ${last["seq"]} is not the one that was written last`;
  const follows = auditHash(anchor.hash, anchor.seq + 1, String(first["json"]));
  if (Number(first["seq"]) !== anchor.seq + 1 || !equalsHash(first["hash"], follows))
    return `audit record ${first["seq"]} is not the first one that was kept`;
  return undefined;
}
