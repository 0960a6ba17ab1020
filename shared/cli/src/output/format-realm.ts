import { type Realm, type UnansweredRealm, RealmFreshness as WireFreshness } from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmFreshness } from "@realmwatch/shared/model/realm";
import { pairProblem } from "@realmwatch/shared/view/pair-state";
import { counted } from "@realmwatch/shared/view/plural";
import { realmFreshnessOf } from "@realmwatch/shared/view/realm-freshness";
import { formatAge } from "./format-object.ts";
import { printableText } from "./printable-text.ts";
import type { Cell, Colour, Screen } from "./table.ts";

const colours: Readonly<Record<RealmFreshness, Colour>> = {
  current: "green",
  behind: "yellow",
  rebuilding: "yellow",
  conflict: "red",
  unreachable: "red",
  unknown: "magenta",
};

/** Cell with the freshness of a realm; in upper case unless the realm is current. */
export function freshnessCell(realm: Realm): Cell {
  const freshness = realmFreshnessOf(realm);
  return { text: freshness === "current" ? freshness : freshness.toUpperCase(), colour: colours[freshness] };
}

/** Rows held and rows expected: `1204/1204`; `-` for an unknown number, empty when the server counts none. */
export function heldRowsText({ freshness, rowsHeld, rowsExpected }: Realm): string {
  if (freshness === WireFreshness.UNSPECIFIED) return "";
  return `${rowsHeld}/${rowsExpected === 0 && rowsHeld > 0 ? "-" : rowsExpected}`;
}

/** Phrase per freshness, after `realm fra`. */
const phrases: Readonly<Record<Exclude<RealmFreshness, "current">, (realm: Realm, screen: Screen) => string>> = {
  behind: ({ behindSince }, screen) =>
    behindSince === undefined ? "is behind" : `has been behind for ${formatAge(behindSince, screen)}`,
  rebuilding: ({ rowsHeld, rowsExpected }) =>
    `is being rebuilt, ${rowsHeld}${rowsExpected === 0 ? "" : ` of ${rowsExpected}`} rows so far`,
  conflict: () => "is in conflict",
  unreachable: ({ lastSeen, rowsHeld }, screen) =>
    lastSeen === undefined
      ? "is unreachable and was never seen"
      : `is unreachable, last seen ${formatAge(lastSeen, screen)} ago, ${counted(rowsHeld, "row")} as of then`,
  unknown: ({ rowsHeld }) => `is unknown, ${counted(rowsHeld, "row")} last known`,
};

/** Notes about the realms that are not current, one line each: `realm fra has been behind for 3m: Redis is full`. */
export const realmNotes = (realms: readonly Realm[], screen: Screen): string[] =>
  realms.flatMap((realm) => {
    const freshness = realmFreshnessOf(realm);
    if (freshness === "current") return [];
    const { name, detail } = realm;
    return [printableText(`realm ${name} ${phrases[freshness](realm, screen)}${detail === "" ? "" : `: ${detail}`}`)];
  });

/** Notes about pairs of agents that would not survive their active member, one line each. */
export const pairNotes = (realms: readonly Pick<Realm, "name" | "pair">[]): string[] =>
  realms.flatMap(({ name, pair }) => {
    const problem = pair === undefined ? "" : pairProblem(pair);
    return problem === "" ? [] : [printableText(`pair of ${name === "" ? "this realm" : `realm ${name}`}: ${problem}`)];
  });

/** Active member of a realm and its standby; empty without a pair. */
export function pairCell({ pair }: Pick<Realm, "pair">): Cell {
  if (pair === undefined) return { text: "" };
  const problem = pairProblem(pair);
  const text = `${pair.active || "?"} / ${pair.standby || "?"}`;
  return problem === "" ? { text } : { text: `${text}: ${problem}`, colour: "yellow" };
}

/** Lines of failure for realms whose part of an answer is missing. */
export const unansweredLines = (unanswered: readonly UnansweredRealm[]): readonly string[] =>
  unanswered.map(
    ({ realm, code, message }) =>
      `realmwatch: ${realm === "" ? "the aggregator's own log" : `realm ${realm}`}: ${code}: ${message}`,
  );
