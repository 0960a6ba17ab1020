import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { sendCommand, serviceTarget } from "../../run/rows.ts";
import { passive } from "../documents.ts";

const disks = ["db1", "db2", "web1", "web2", "web3"];

/** Document with objects of every kind and state, for pictures of the pages. */
export const pictureDocument = `
hosts: {
	core: {address: "127.0.0.1", labels: role: "router", ${passive}}
${disks
  .map(
    (host) =>
      `"${host}": {address: "127.0.0.1", labels: {role: "${host.slice(0, -1)}", env: "prod"}, ${passive}, services: {disk: {${passive}}, http: {${passive}}}}`,
  )
  .join("\n")}
	edge: {address: "127.0.0.1", parents: ["core"], ${passive}, services: ping: {${passive}}}
}
processes: shop: {rule: at_least: {count: 2, of: [{ref: "web1!http"}, {ref: "web2!http"}, {ref: "web3!http"}]}}
views: Shop: {selector: "role in (web,db)", description: "What customers use"}
contacts: desk: {type: "webhook", url: "http://127.0.0.1:9/", labels: team: "operations"}
ui: availability: range: "1h"
slos: "Routers answer": {selector: "role=router", target: 99.5}
`;

const host = (name: string) => ({ object: { host: { name } } });

type PictureResult = readonly [target: object, status: string, output: string, perfdata?: string];

const results: readonly PictureResult[] = [
  [host("core"), "OK", "up, 0.3 ms"],
  ...disks.map((name): PictureResult => [host(name), "OK", "up, 0.4 ms"]),
  [serviceTarget("db1", "disk"), "CRITICAL", "/var is full", "used=97%;80;95;0;100"],
  [serviceTarget("db2", "disk"), "WARNING", "/var is filling", "used=84%;80;95;0;100"],
  [serviceTarget("web1", "disk"), "OK", "space left", "used=41%;80;95;0;100"],
  [serviceTarget("web2", "disk"), "UNKNOWN", "no answer from the collector"],
  [serviceTarget("web3", "disk"), "CRITICAL", "/srv is full", "used=99%;80;95;0;100"],
  [serviceTarget("db1", "http"), "OK", "HTTP 200", "time=0.021s;0.5;1"],
  [serviceTarget("web1", "http"), "CRITICAL", "HTTP 503 Service Unavailable", "time=0.9s;0.5;1"],
  [serviceTarget("web2", "http"), "OK", "HTTP 200", "time=0.018s;0.5;1"],
  [serviceTarget("web3", "http"), "WARNING", "HTTP 200, slow", "time=0.7s;0.5;1"],
];

/**
 * Brings the objects into their states: results, an acknowledgement, a comment and a downtime, always in this order.
 * `edge`, its service and one more stay pending.
 */
export async function preparePictures(base: string, headers: Readonly<Record<string, string>>): Promise<void> {
  // One after the other, in milliseconds of their own: lists that are sorted by age then always have the same order.
  for (const [target, status, output, perfdata = ""] of results) {
    const result = { ...target, status: `STATUS_${status}`, output, perfdata };
    const sentAtMs = Date.now();
    await sendCommand(base, "ProcessCheckResult", result, headers);
    await until("the next millisecond begins", async () => Date.now() > sentAtMs);
  }
  const acknowledgement = { target: serviceTarget("web3", "disk"), comment: "a new disk is on its way" };
  await sendCommand(base, "AcknowledgeProblem", { ...acknowledgement, sticky: true }, headers);
  await sendCommand(
    base,
    "AddComment",
    { target: serviceTarget("db1", "disk"), text: "logs are moved at night" },
    headers,
  );
  const [start, end] = [Date.now(), Date.now() + 7_200_000].map((ms) => new Date(ms).toISOString());
  const downtime = { target: serviceTarget("db2", "disk"), start, end, comment: "new shelf" };
  await sendCommand(base, "ScheduleDowntime", downtime, headers);
}
