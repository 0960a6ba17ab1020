import { sendCommand, serviceTarget } from "../run/rows.ts";

/** Check settings of an object with passive results only, whose first result is hard. */
export const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;

/** Document with the host `web1` and its service `disk`. */
export const oneDisk = `
hosts: web1: {
	address: "127.0.0.1"
	${passive}
	services: disk: {${passive}}
}
`;

/** `oneDisk` with an objective of the disk, and one of all hosts. */
export const diskSlos = `${oneDisk}
ui: availability: range: "1h"
slos: {
	"Disk has room": {selector: "@name=disk", target: 99.5}
	"Hosts are up": {selector: "@kind=host", target: 90}
}
`;

/** Submits a critical result for the service of `oneDisk`. */
export const breakDisk = (base: string, headers: Readonly<Record<string, string>> = {}) =>
  sendCommand(
    base,
    "ProcessCheckResult",
    { ...serviceTarget("web1", "disk"), status: "STATUS_CRITICAL", output: "/var is full" },
    headers,
  );
