/** Delivered message, with its time in s from the scenario's beginning. */
export type TimedMessage = { readonly atS: number; readonly message: string };
export type ExpectedMessage = { readonly fromS: number; readonly toS: number; readonly message: string };

type MessageComparison = {
  readonly missing: readonly ExpectedMessage[];
  /** Messages that were not expected, or not so early. */
  readonly unexpected: readonly TimedMessage[];
};

/** Tolerance for messages that arrive too early, s: the clocks of two programs are compared. */
const earlyS = 0.05;

/**
 * Pairs each expected message, in order, with the first received message that matches it. Messages to one contact about
 * one object have to arrive in the expected order, unless they are expected from the same time on.
 */
export function compareMessages(
  expected: readonly ExpectedMessage[],
  received: readonly TimedMessage[],
): MessageComparison {
  const left = new Set(received.keys());
  const streams = new Map<string, { readonly fromS: number; readonly before: number; last: number }>();
  const missing: ExpectedMessage[] = [];
  for (const wanted of expected) {
    const stream = streamOf(wanted.message);
    const known = streams.get(stream);
    const before = known === undefined ? -1 : known.fromS === wanted.fromS ? known.before : known.last;
    const found = [...left].find((at) => {
      const { atS, message } = received[at] as TimedMessage;
      return matches(message, wanted.message) && atS >= wanted.fromS - earlyS && at > before;
    });
    if (found === undefined) missing.push(wanted);
    else left.delete(found);
    const last = Math.max(known?.last ?? -1, found ?? -1);
    streams.set(stream, { fromS: wanted.fromS, before, last });
  }
  return { missing, unexpected: [...left].map((at) => received[at] as TimedMessage) };
}

/** Recipient and object of a message, whose order matters. */
function streamOf(message: string): string {
  const [contact, , , object] = message.split(" ");
  return `${contact} ${object}`;
}

/** True when a message begins with the words of an expected one. */
const matches = (message: string, expected: string): boolean =>
  message === expected || message.startsWith(`${expected} `);

/** Formats the differences and all received messages of a failed scenario. */
export function formatDifference(
  { missing, unexpected }: MessageComparison,
  received: readonly TimedMessage[],
): string {
  const lines = [
    ...missing.map(({ fromS, toS, message }) => `missing     ${fromS}-${toS} s: ${message}`),
    ...unexpected.map(({ atS, message }) => `unexpected  ${atS.toFixed(2)} s: ${message}`),
    "all messages:",
    ...received.map(({ atS, message }) => `  ${atS.toFixed(2)} s: ${message}`),
  ];
  return lines.join("\n");
}
