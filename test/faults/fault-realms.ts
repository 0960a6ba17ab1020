/** Names of the realms of a test with faults; the first one has a URL, the others are reached over NATS. */
export const faultRealms = ["fra", "ams", "dub"] as const;
export type FaultRealm = (typeof faultRealms)[number];
