const time = /^([01]\d|2[0-4]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)$/;

/**
 * What is wrong with a day's list of times (`08:00-12:00,13:00-17:00`, `00:00-24:00`), as a predicate; undefined where
 * nothing is. `00:00-00:00` closes the day; any other range ends after it starts, and none goes past midnight.
 */
export function timeListProblem(text: string): string | undefined {
  for (const range of text.split(",")) {
    const shown = JSON.stringify(range.trim());
    const [, h1, m1, h2, m2] = time.exec(range.trim()) ?? [];
    if (h1 === undefined) return `must list times as HH:MM-HH:MM, which ${shown} is not`;
    const start = Number(h1) * 60 + Number(m1);
    const end = Number(h2) * 60 + Number(m2);
    if (start > 1440 || end > 1440) return `has a time after 24:00: ${shown}`;
    if (end <= start && !(start === 0 && end === 0))
      return `has a range that does not end after it starts: ${shown}; write what goes past midnight as two days`;
  }
  return undefined;
}
