import { command, serviceTarget } from "../run/rows.ts";

/** A check that is believed at once and never runs by itself. */
export const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;

/** `web1` with the service `disk`. */
export const oneDisk = `
hosts: web1: {
	address: "127.0.0.1"
	${passive}
	services: disk: {${passive}}
}
`;

/** Has the disk of `oneDisk` fail. */
export const breakDisk = (base: string, headers: Readonly<Record<string, string>> = {}) =>
  command(
    base,
    "ProcessCheckResult",
    { ...serviceTarget("web1", "disk"), status: "STATUS_CRITICAL", output: "/var is full" },
    headers,
  );
