/**
 * Name of the segment whose first event has the number `seq`, by realm and day in UTC. Names of one realm sort in the
 * order of their events.
 */
export const segmentName = (realm: string, atMs: number, seq: number): string =>
  `${realm}/${new Date(atMs).toISOString().slice(0, 10)}/${String(seq).padStart(16, "0")}.ndjson`;
