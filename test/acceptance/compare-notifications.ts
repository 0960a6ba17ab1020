/** What came, in order; `atS` from the scenario's beginning. */
export type ReceivedMessage = { readonly atS: number; readonly message: string };
export type ExpectedMessage = { readonly fromS: number; readonly toS: number; readonly message: string };

export type MessageComparison = {
  readonly missing: readonly ExpectedMessage[];
  /** Nobody wanted it, or not so early. */
  readonly unexpected: readonly ReceivedMessage[];
};

/** Clocks of two programs are compared: what comes this much too early, s, is no mistake. */
const earlyS = 0.05;

/**
 * Pairs what was wanted with what came: each wish, in its order, with the first message that fulfils it. What a contact
 * is told of one object has that order, unless the wishes are for the same moment.
 */
export function compareMessages(wanted: readonly ExpectedMessage[], came: readonly ReceivedMessage[]): MessageComparison {
  const left = new Set(came.keys());
  const lanes = new Map<string, { readonly fromS: number; readonly before: number; last: number }>();
  const missing: ExpectedMessage[] = [];
  for (const wish of wanted) {
    const lane = laneOf(wish.message);
    const known = lanes.get(lane);
    const before = known === undefined ? -1 : known.fromS === wish.fromS ? known.before : known.last;
    const found = [...left].find((at) => {
      const { atS, message } = came[at] as ReceivedMessage;
      return fulfils(message, wish.message) && atS >= wish.fromS - earlyS && at > before;
    });
    if (found === undefined) missing.push(wish);
    else left.delete(found);
    const last = Math.max(known?.last ?? -1, found ?? -1);
    lanes.set(lane, { fromS: wish.fromS, before, last });
  }
  return { missing, unexpected: [...left].map((at) => came[at] as ReceivedMessage) };
}

/** Whom it is for and what it is about. */
function laneOf(message: string): string {
  const [who, , , object] = message.split(" ");
  return `${who} ${object}`;
}

/** A wish says as much as it likes from the beginning. */
const fulfils = (message: string, wish: string): boolean => message === wish || message.startsWith(`${wish} `);

/** For people: the whole story of a scenario that went wrong. */
export function formatDifference({ missing, unexpected }: MessageComparison, came: readonly ReceivedMessage[]): string {
  const lines = [
    ...missing.map(({ fromS, toS, message }) => `missing     ${fromS}-${toS} s: ${message}`),
    ...unexpected.map(({ atS, message }) => `unexpected  ${atS.toFixed(2)} s: ${message}`),
    "all that came:",
    ...came.map(({ atS, message }) => `  ${atS.toFixed(2)} s: ${message}`),
  ];
  return lines.join("\n");
}
