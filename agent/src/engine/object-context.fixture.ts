import type { ObjectContext } from "./object-context.ts";

/** Context in which the object is reachable and has no notification policy. */
export const defaultObjectContext: ObjectContext = {
  hostDown: false,
  parents: "none",
  passiveChecksOn: true,
  flapDetectionOn: true,
  closedUntilMs: undefined,
  blockedBy: [],
  reachableSinceMs: undefined,
  hostCheck: undefined,
  hostInDowntime: false,
  recurring: [],
  dependency: () => undefined,
  routing: {
    programOn: true,
    policy: undefined,
    contact: () => undefined,
    calendar: { isOpen: () => true, nextOpen: (_period, atMs) => atMs },
  },
};
