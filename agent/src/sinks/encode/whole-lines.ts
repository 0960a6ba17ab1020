const lineFeed = 0x0a;

/**
 * Beginning of `lines` for a file that has `room` bytes left: as many whole lines as fit. When not even the first one
 * fits it is empty or, with `atLeastOne`, the first line. `lines` ends with a line feed.
 */
export function linesWithin(lines: Buffer, room: number, { atLeastOne }: { readonly atLeastOne: boolean }): Buffer {
  if (lines.length <= room) return lines;
  const fitting = room > 0 ? lines.lastIndexOf(lineFeed, room - 1) + 1 : 0;
  return lines.subarray(0, fitting === 0 && atLeastOne ? lines.indexOf(lineFeed) + 1 : fitting);
}

/** Number of lines, each of which ends with a line feed. */
export function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(lineFeed); at >= 0; at = lines.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}
