import { type TeamView, viewPath } from "../../api/views/team-views.ts";

/** Shortest and longest stay of the wall mode on a page, seconds. */
const rotateLimitsS = { least: 5, most: 3_600 } as const;

/** Stay on each page, seconds, from the parameter `rotate` of an address; undefined for anything but such a number. */
export function parseRotate(text: unknown): number | undefined {
  if (typeof text !== "string" || !/^\d{1,4}$/.test(text)) return undefined;
  const seconds = Number(text);
  return seconds >= rotateLimitsS.least && seconds <= rotateLimitsS.most ? seconds : undefined;
}

/** Paths, with their search parameters, of the pages that the wall mode rotates through: problems, overview, each view. */
export const wallStops = (views: readonly Pick<TeamView, "name" | "realm">[]): readonly string[] => [
  "/",
  "/overview",
  ...views.map(viewPath),
];

/** Search parameters that each page of the wall mode takes over from the one before. */
const kept = ["rotate", "group"] as const;

/**
 * Address of the page after the current one, in the wall mode, with the same stay and grouping. A page that is not among the stops
 * is followed by the first.
 */
export function nextWallStop(stops: readonly string[], current: URL): string {
  const isCurrent = (stop: string): boolean => {
    const { pathname, searchParams } = new URL(stop, current);
    return pathname === current.pathname && searchParams.get("realm") === current.searchParams.get("realm");
  };
  const next = new URL(stops[(stops.findIndex(isCurrent) + 1) % stops.length] ?? "/", current);
  next.searchParams.set("wall", "1");
  for (const name of kept) {
    const value = current.searchParams.get(name);
    if (value !== null) next.searchParams.set(name, value);
  }
  return `${next.pathname}${next.search}`;
}
