/** Ranges of reports by their name in the address, ms. The first is the one that the configuration gives. */
const sloRanges: Readonly<Record<string, number | undefined>> = {
  default: undefined,
  "24h": 86_400_000,
  "7d": 604_800_000,
  "30d": 2_592_000_000,
  "90d": 7_776_000_000,
  "365d": 31_536_000_000,
};
export const sloRangeNames: readonly string[] = Object.keys(sloRanges);

/** Name of the range in the address; `default` without one. */
export const sloRangeOf = (text: string | undefined): string =>
  text !== undefined && Object.hasOwn(sloRanges, text) ? text : "default";

/** Length of a range, ms; undefined for the one of the configuration. */
export const sloRangeMs = (name: string): number | undefined => sloRanges[name];
