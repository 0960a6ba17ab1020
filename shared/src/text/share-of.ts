/** How much of a known total is done: `12 of 400 downtimes (3 %)`. The share is rounded down: 100 % is all of it. */
export function formatShare(done: number, total: number, what: string): string {
  const percent = total === 0 ? 100 : Math.floor((Math.min(done, total) / total) * 100);
  return `${done} of ${total} ${what} (${percent} %)`;
}
