import type { Pair } from "@realmwatch/proto/svc/v1/pair_pb";
import type { Realm } from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmFreshness } from "@realmwatch/shared/model/realm";
import { pairProblem } from "@realmwatch/shared/view/pair-state";
import { plural } from "@realmwatch/shared/view/plural";
import { realmFreshnessOf } from "@realmwatch/shared/view/realm-freshness";
import type { DisplayZone } from "../../api/context/preferences.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { formatShortDateTime } from "../../components/time/format-date-time.ts";
import { formatNumber } from "../../components/time/format-number.ts";

type Impaired = Exclude<RealmFreshness, "current">;

/** States that have a banner, in the order of the banners. */
const impairedStates: readonly Impaired[] = ["unreachable", "conflict", "behind", "rebuilding", "unknown"];

/** One line about the realms of one state: `title`, then `text`. */
type RealmBanner = { readonly freshness: Impaired; readonly title: string; readonly text: string };

type Display = { readonly nowMs: number; readonly zone: DisplayZone };

/** Banners about the realms that are not current. One for each state, so that many realms do not fill the screen. */
export const realmBanners = (realms: readonly Realm[], display: Display): readonly RealmBanner[] =>
  impairedStates.flatMap((freshness) => {
    const affected = realms.filter((realm) => realmFreshnessOf(realm) === freshness);
    const [first] = affected;
    if (first === undefined) return [];
    return [{ freshness, ...(affected.length === 1 ? bannerOfOne : bannerOfSeveral)(freshness, affected, display) }];
  });

type BannerText = Pick<RealmBanner, "title" | "text">;
type DescribeRealms = (freshness: Impaired, realms: readonly Realm[], display: Display) => BannerText;

const bannerOfOne: DescribeRealms = (freshness, [realm], display) => {
  if (realm === undefined) return { title: "", text: "" };
  const since = sinceText(freshness, realm, display);
  const detail = realm.detail === "" ? undefined : realm.detail;
  const parts = [rowsText(freshness, [realm], since !== ""), freshness === "unreachable" ? noCommands : undefined];
  // The cause is more useful than the numbers, which the realms page has.
  const shown = freshness === "unreachable" ? [...parts, detail] : [detail ?? parts[0]];
  return {
    title: `${realm.name} ${phrases[freshness]}${since}`,
    text: shown.filter((part) => part !== undefined).join("; "),
  };
};

const bannerOfSeveral: DescribeRealms = (freshness, realms, display) => {
  const named = realms.map((realm) => {
    const detail = realm.detail === "" ? "" : ` (${realm.detail})`;
    return `${realm.name}${sinceText(freshness, realm, display)}${detail}`;
  });
  return {
    title: `${realms.length} realms ${phrases[freshness]}`,
    text: `${named.join(", ")}; ${rowsText(freshness, realms, true)}`,
  };
};

const phrases: Readonly<Record<Impaired, string>> = {
  unreachable: "unreachable",
  conflict: "in conflict",
  behind: "behind",
  rebuilding: "rebuilding",
  unknown: "unknown",
};

const noCommands = "commands to it are not available";

/** Start of the state, ` since 12:41`; empty when the state has none or it is not known. */
function sinceText(freshness: Impaired, realm: Realm, { nowMs, zone }: Display): string {
  const started = { unreachable: realm.lastSeen, behind: realm.behindSince } as const;
  const atMs = freshness === "unreachable" || freshness === "behind" ? optionalMs(started[freshness]) : undefined;
  return atMs === undefined ? "" : ` since ${formatShortDateTime(atMs, nowMs, zone)}`;
}

const rowCount = (count: number): string => `${formatNumber(count)} ${plural(count, "row")}`;

function rowsText(freshness: Impaired, realms: readonly Realm[], wasSeen: boolean): string {
  const held = realms.reduce((sum, { rowsHeld }) => sum + rowsHeld, 0);
  const expected = realms.reduce((sum, { rowsExpected }) => sum + rowsExpected, 0);
  if (freshness === "unreachable")
    return wasSeen ? `${rowCount(held)} as of then` : "never seen: its state is not known";
  if (freshness === "behind" || freshness === "rebuilding")
    return expected === 0 ? `${rowCount(held)} so far` : `${formatNumber(held)} of ${rowCount(expected)}`;
  return `${rowCount(held)} last known`;
}

/** Problems of the pairs of agents in one line; undefined while all pairs are healthy. */
export function pairBannerOf(own: Pair | undefined, realms: readonly Realm[]): string | undefined {
  const ofRealms = realms.flatMap(({ name, pair }) => {
    const problem = pair === undefined ? "" : pairProblem(pair);
    return problem === "" ? [] : [`${name}: ${problem}`];
  });
  const problems = own === undefined ? ofRealms : [pairProblem(own), ...ofRealms].filter((text) => text !== "");
  return problems.length === 0 ? undefined : problems.join("; ");
}
