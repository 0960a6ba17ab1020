import { sendCommand, serviceTarget } from "../run/rows.ts";
import { passive } from "./documents.ts";

/** Weekday of three days from now: far from the hours in which tests run, on each day of the week. */
const laterDay = new Intl.DateTimeFormat("en", { weekday: "long" }).format(Date.now() + 3 * 86_400_000).toLowerCase();

const hosts = Array.from({ length: 12 }, (_, at) => `web${at + 1}`);

/**
 * Document of twelve hosts in two racks, with a service each, a process of three of them, a view and a recurring
 * downtime.
 */
export const twoRacks = `
hosts: {${hosts
  .map(
    (host, at) =>
      `"${host}": {address: "127.0.0.1", labels: rack: "r${(at % 2) + 1}", ${passive}, services: disk: {${passive}}}`,
  )
  .join("\n")}}
processes: shop: rule: at_least: {count: 2, of: [{ref: "web1!disk"}, {ref: "web2!disk"}, {ref: "web3!disk"}]}
views: "Rack one": {selector: "rack=r1", description: "The first rack"}
timeperiods: "patch night": ranges: ${laterDay}: "02:00-04:00"
downtimes: patching: {selector: "rack=r2", scope: "host", period: "patch night", comment: "Kernel updates"}
contacts: desk: {type: "webhook", url: "http://127.0.0.1:9/"}
`;

/** Submits a result for each host and service: everything is ok except for the named disks, which are critical. */
export async function reportDisks(base: string, broken: readonly string[]): Promise<void> {
  const results = hosts.flatMap((host) => [
    { object: { host: { name: host } }, status: "STATUS_OK", output: "up" },
    {
      ...serviceTarget(host, "disk"),
      status: broken.includes(host) ? "STATUS_CRITICAL" : "STATUS_OK",
      output: broken.includes(host) ? "/var is full" : "space left",
    },
  ]);
  await sendCommand(base, "ProcessCheckResults", { results });
}
