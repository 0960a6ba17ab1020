import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** Answer of the test name server for a name: addresses, a DNS error, bytes that are not DNS, or no answer at all. */
type TestDnsAnswer = readonly string[] | "nxdomain" | "servfail" | "refused" | "garbage" | "silence";

const codes = { nxdomain: 3, servfail: 2, refused: 5 };

/** Test name server on a free port. `queries` counts queries by name. AAAA queries of `old.` names are never answered. */
export async function startNameServer(zone: Readonly<Record<string, TestDnsAnswer>>) {
  const queries = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    queries.set(name, (queries.get(name) ?? 0) + 1);
    const answer = zone[name] ?? "nxdomain";
    if (answer === "silence" || (name.startsWith("old.") && type === 28)) return;
    if (answer === "garbage") socket.send("this is not DNS", port, address);
    else socket.send(encodeAnswer(query.subarray(0, end), type, answer), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address() as AddressInfo;
  return { queries, port, address: `127.0.0.1:${port}`, close: () => socket.close() };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function encodeAnswer(question: Buffer, type: number, answer: Exclude<TestDnsAnswer, "silence" | "garbage">): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (typeof answer === "string" ? codes[answer] : 0), 2);
  const records =
    typeof answer === "string" ? [] : answer.map(dataOf).filter((data) => data.length === (type === 28 ? 16 : 4));
  head.writeUInt16BE(records.length, 6);
  head.fill(0, 8, 12);
  const bodies = records.map((data) => {
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([head, ...bodies]);
}

/** Record data of an address; IPv6 addresses of tests are `::` and one group. */
function dataOf(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  const data = Buffer.alloc(16);
  data.writeUInt16BE(Number.parseInt(address.replace("::", ""), 16), 14);
  return data;
}
