/**
 * Periods in which each target of the demo fails: `down` and `up` are seconds into a cycle of `every` seconds that
 * begins with the demo. The first minute shows an acknowledged problem, a recovery, an outage with unreachable hosts
 * behind it and a flapping service.
 */
const cycles = {
  "web-2": { every: 50, down: 8, up: 30 },
  cache: { every: 6, down: 0, up: 3 },
  database: { every: 150, down: 52, up: 76 },
  // Connections of the web servers: they fail some seconds after the database and recover shortly before it.
  pool: { every: 150, down: 58, up: 73 },
  switch: { every: 90, down: 25, up: 45 },
  "shelf-2": { every: 70, down: 5, up: 20 },
  "shelf-4": { every: 40, down: 10, up: 30 },
  replication: { every: 60, down: 30, up: 45 },
  backup: { every: 80, down: 40, up: 65 },
};

/** True when a target fails `elapsedS` seconds after the start of the demo. A target without a cycle never fails. */
export function isFailing(target, elapsedS) {
  const cycle = cycles[target];
  if (cycle === undefined) return false;
  const at = elapsedS % cycle.every;
  return at >= cycle.down && at < cycle.up;
}

/** Number of messages in the queue `sinceS` seconds after it was last flushed; reaches `full` after `fullAfterS`. */
export const queueLength = (sinceS, fullAfterS = 75, full = 95) => Math.round(Math.min(1, sinceS / fullAfterS) * full);
