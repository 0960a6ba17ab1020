import { connect as connectHttp2 } from "node:http2";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { ListStatusRequestSchema } from "@realmwatch/proto/svc/v1/query_pb";
import type { SeededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { grpcFrame } from "../../api/raw-call.ts";
import { openRaw } from "../../api/raw-connection.ts";

/** Misuse of a port. Resolves when its connections are closed; the port may have refused everything. */
type PortAttack = (port: number, chance: SeededRandom) => Promise<void>;

const path = "/svc.v1.QueryService/ListStatus";
const bomb = gzipSync(Buffer.alloc(64 << 20, 0x20));
const whole = (chance: SeededRandom, limit: number): number => Math.floor(chance.upTo(limit));

function jsonRequest(body = '{"search":"x"}', more = ""): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function randomBytes(chance: SeededRandom, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => whole(chance, 256)));
}

/** A copy with up to eight bytes changed, removed or repeated. */
function mutated(bytes: Buffer, chance: SeededRandom): Buffer {
  let result = Buffer.from(bytes);
  for (let n = whole(chance, 8); n >= 0; n -= 1) {
    const at = whole(chance, result.length);
    const kind = chance.oneOf(["change", "remove", "repeat"]);
    if (kind === "change") result[at] = whole(chance, 256);
    else {
      const end = at + whole(chance, 40);
      result = Buffer.concat([
        result.subarray(0, kind === "remove" ? at : end),
        result.subarray(kind === "remove" ? end : at),
      ]);
    }
  }
  return result;
}

/** Sends bytes in the given pieces and leaves after an answer, a close by the server or `waitMs`. */
async function send(port: number, pieces: readonly Buffer[], waitMs = 200): Promise<string> {
  const { socket, received, closed } = await openRaw(port);
  for (const piece of pieces) {
    if (socket.destroyed) break;
    await new Promise<void>((done) => socket.write(piece, () => done()));
  }
  await Promise.race([closed, new Promise((done) => socket.once("data", done)), delay(waitMs)]);
  socket.destroy();
  await closed;
  return received();
}

const delay = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

async function splitBytes(port: number, chance: SeededRandom): Promise<void> {
  const bytes = jsonRequest();
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const next = at + 1 + whole(chance, 30);
    pieces.push(bytes.subarray(at, next));
    at = next;
  }
  const answer = await send(port, pieces, 10_000);
  if (!answer.startsWith("HTTP/1.1 200")) throw new Error(`a divided request was answered by ${answer.slice(0, 100)}`);
}

async function smuggle(port: number, chance: SeededRandom): Promise<void> {
  const lines = [
    "Content-Length: 4",
    "Content-Length: 40",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: xchunked",
  ];
  const more = ["Transfer-Encoding : chunked", "Content-Length: +4", " folded", "Host: y", "Content-Length: 1e3"];
  const picked = Array.from({ length: 1 + whole(chance, 3) }, () => chance.oneOf(["", ...lines, ...more]));
  const body = chance.oneOf(["0\r\n\r\n", "{}", `5\r\n{}   \r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`]);
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${picked.join("\r\n")}\r\n\r\n`;
  const answer = await send(port, [Buffer.from(head + body)]);
  if ((answer.match(/HTTP\/1\.1 \d{3}/g)?.length ?? 0) > 2)
    throw new Error(`one request, three answers: ${head}${body}`);
}

async function overHttp2(
  port: number,
  use: (session: ReturnType<typeof connectHttp2>) => void,
  { lastMs, window }: { lastMs: number; window?: number },
): Promise<void> {
  const settings = window === undefined ? {} : { initialWindowSize: window };
  const session = connectHttp2(`http://127.0.0.1:${port}`, { settings });
  session.on("error", () => {});
  const closed = new Promise<void>((done) => session.once("close", () => done()));
  use(session);
  await Promise.race([closed, delay(lastMs)]);
  session.destroy();
  await closed;
}

type Session = ReturnType<typeof connectHttp2>;

function openStream(session: Session, type: string, body: Buffer, more: Record<string, string> = {}): void {
  if (session.destroyed || session.closed) return;
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": type, ...more });
  stream.on("error", () => {});
  stream.resume();
  stream.end(body);
}

/** Attacks by name. */
export const portAttacks: Readonly<Record<string, PortAttack>> = {
  splitBytes,
  smuggle,
  async garbage(port, chance) {
    await send(port, [randomBytes(chance, 1 + whole(chance, 2_000))]);
  },
  async mutatedRequest(port, chance) {
    await send(port, [mutated(jsonRequest(), chance)]);
  },
  async mutatedJson(port, chance) {
    const json =
      '{"object":{"host":{"name":"web1"}},"statuses":["STATUS_OK",1],"pageSize":3,"selector":"@host=\\"x\\",a in (b,c)"}';
    await send(port, [jsonRequest(mutated(Buffer.from(json), chance).toString("utf8"))]);
  },
  async mutatedQuery(port, chance) {
    const query = mutated(Buffer.from("connect=v1&encoding=json&base64=1&message=e30"), chance).toString("latin1");
    await send(port, [Buffer.from(`GET ${path}?${query} HTTP/1.1\r\nHost: x\r\n\r\n`, "latin1")]);
  },
  async largeHeaders(port, chance) {
    const lines = Array.from({ length: whole(chance, 400) }, (_, n) => `x-${n}: ${"y".repeat(whole(chance, 300))}\r\n`);
    await send(port, [jsonRequest("{}", lines.join(""))]);
  },
  async halfBody(port, chance) {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`;
    await send(port, [Buffer.from(head), Buffer.alloc(whole(chance, 900_000), 0x20)], whole(chance, 2_000));
  },
  async slowReader(port, chance) {
    const { socket, closed } = await openRaw(port);
    socket.pause();
    for (let n = 0; n < 20; n += 1) socket.write("GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n");
    await delay(whole(chance, 1_000));
    socket.destroy();
    await closed;
  },
  async zeroWindow(port, chance) {
    const use = (session: Session): void => {
      for (let n = 0; n < 50; n += 1) session.request({ ":path": "/api/openapi.json" }).on("error", () => {});
    };
    await overHttp2(port, use, { lastMs: whole(chance, 1_000), window: 0 });
  },
  async rapidReset(port, chance) {
    const use = (session: Session): void => {
      for (let n = whole(chance, 2_000); n > 0 && !session.destroyed; n -= 1)
        session
          .request({ ":path": "/healthz" })
          .on("error", () => {})
          .close();
    };
    await overHttp2(port, use, { lastMs: 300 });
  },
  async mutatedMessages(port, chance) {
    const message = toBinary(
      ListStatusRequestSchema,
      create(ListStatusRequestSchema, { search: "web", kinds: [1, 2] }),
    );
    const use = (session: Session): void => {
      for (let n = 0; n < 20; n += 1) {
        const framed = grpcFrame(mutated(Buffer.from(message), chance), chance.oneOf([0, 0, 1, 255]));
        openStream(session, "application/grpc", chance.oneOf([framed, mutated(framed, chance)]), { te: "trailers" });
        openStream(session, "application/proto", mutated(Buffer.from(message), chance));
      }
    };
    await overHttp2(port, use, { lastMs: 300 });
  },
  async bombs(port) {
    const use = (session: Session): void => {
      for (let n = 0; n < 10; n += 1) openStream(session, "application/json", bomb, { "content-encoding": "gzip" });
    };
    await overHttp2(port, use, { lastMs: 500 });
  },
  async randomFrames(port, chance) {
    const frames = Array.from({ length: 30 }, () => {
      const payload = randomBytes(chance, whole(chance, 60));
      const head = Buffer.from([
        0,
        0,
        payload.length,
        whole(chance, 11),
        whole(chance, 256),
        0,
        0,
        0,
        whole(chance, 8),
      ]);
      return Buffer.concat([head, payload]);
    });
    const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    await send(port, [Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings, ...frames], 300);
  },
};
