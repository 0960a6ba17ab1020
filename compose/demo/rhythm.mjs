/**
 * When each target of the demo is sick: `down` and `up` are seconds into a cycle of `every` seconds that begins as
 * the demo does. Chosen so that the first minute shows a problem that is acknowledged, a recovery, an outage with
 * unreachable hosts behind it and a service that flaps, and never the same picture for long.
 */
const rhythms = {
  "web-2": { every: 50, down: 8, up: 30 },
  cache: { every: 6, down: 0, up: 3 },
  database: { every: 150, down: 52, up: 76 },
  // The web servers go on for a while with what they have, and are the first whom the database lets in again.
  pool: { every: 150, down: 58, up: 73 },
  switch: { every: 90, down: 25, up: 45 },
  "shelf-2": { every: 70, down: 5, up: 20 },
  "shelf-4": { every: 40, down: 10, up: 30 },
  replication: { every: 60, down: 30, up: 45 },
  backup: { every: 80, down: 40, up: 65 },
};

/** Whether a target is sick `elapsedS` seconds after the demo began. What has no rhythm is always well. */
export function isSick(target, elapsedS) {
  const rhythm = rhythms[target];
  if (rhythm === undefined) return false;
  const at = elapsedS % rhythm.every;
  return at >= rhythm.down && at < rhythm.up;
}

/** Messages that wait `sinceS` seconds after the queue was worked off: grows until somebody does it again. */
export const queueLength = (sinceS, fullAfterS = 75, full = 95) => Math.round(Math.min(1, sinceS / fullAfterS) * full);
