import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** What a test's name server says of a name: addresses, or a code of DNS, or no DNS, or nothing at all. */
export type Said = readonly string[] | "nxdomain" | "servfail" | "refused" | "garbage" | "silence";

const codes = { nxdomain: 3, servfail: 2, refused: 5 };

/** A name server on a free port for tests. `asked` counts questions by name. Of names that begin with `old.` it never answers AAAA. */
export async function startNameServer(zone: Readonly<Record<string, Said>>) {
  const asked = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    asked.set(name, (asked.get(name) ?? 0) + 1);
    const said = zone[name] ?? "nxdomain";
    if (said === "silence" || (name.startsWith("old.") && type === 28)) return;
    if (said === "garbage") socket.send("this is not DNS", port, address);
    else socket.send(answer(query.subarray(0, end), type, said), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address() as AddressInfo;
  return { asked, port, address: `127.0.0.1:${port}`, close: () => socket.close() };
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

function answer(question: Buffer, type: number, said: Exclude<Said, "silence" | "garbage">): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (typeof said === "string" ? codes[said] : 0), 2);
  const records =
    typeof said === "string" ? [] : said.map(dataOf).filter((data) => data.length === (type === 28 ? 16 : 4));
  head.writeUInt16BE(records.length, 6);
  head.fill(0, 8, 12);
  const bodies = records.map((data) => {
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([head, ...bodies]);
}

/** IPv6 addresses of tests are `::` and one last group. */
function dataOf(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  const data = Buffer.alloc(16);
  data.writeUInt16BE(Number.parseInt(address.replace("::", ""), 16), 14);
  return data;
}
