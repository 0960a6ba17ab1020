import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";

/** Connections and streams of hostile peers, which stay until `end`. */
type HostilePeers = {
  openTcp(peer: number, onConnect: (socket: Socket) => void): Socket;
  openHttp2(peer: number, window?: number): ClientHttp2Session;
  /** Number of connections that were closed. */
  readonly closed: () => number;
  end(): void;
};

/** Opens connections to a port from addresses of their own below 127.0.0.0/8. */
export function hostilePeers(scope: TestScope, port: number): HostilePeers {
  const sockets = new Set<{ destroy(): unknown }>();
  let closed = 0;
  const addressOf = (peer: number): string => `127.9.${Math.floor(peer / 200)}.${1 + (peer % 200)}`;
  const end = (): void => {
    for (const each of sockets) each.destroy();
    sockets.clear();
  };
  atEnd(scope, end);
  function openTcp(peer: number, onConnect: (socket: Socket) => void): Socket {
    const socket = connect({ port, host: "127.0.0.1", localAddress: addressOf(peer) });
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      closed += 1;
    });
    socket.once("connect", () => onConnect(socket));
    return socket;
  }
  return {
    openTcp,
    openHttp2(peer, window) {
      const session = connectHttp2(`http://127.0.0.1:${port}`, {
        settings: window === undefined ? {} : { initialWindowSize: window },
        createConnection: () => openTcp(peer, () => {}),
      });
      sockets.add(session);
      session.on("error", () => {});
      return session;
    },
    closed: () => closed,
    end,
  };
}

/** Opens a stream whose end is not awaited. `body`: what is sent of it; undefined for a GET request. */
function openStream(session: ClientHttp2Session, path: string, body?: Buffer): void {
  if (session.destroyed || session.closed) return;
  const method = body === undefined ? "GET" : "POST";
  const stream = session.request({ ":method": method, ":path": path, "content-type": "application/proto" });
  stream.on("error", () => {});
  if (body !== undefined) stream.resume().write(body);
}

const batch = "/svc.v1.CommandService/ProcessCheckResults";
const half = Buffer.alloc(1_100_000, 0x20);
const pipelined = Buffer.from("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1_800));
/** 8.4 million empty results. */
const emptyEntries = Buffer.alloc(2 * 8_388_608 - 1_024, "\x0a\x00");

/** Sends a request but for the last `missing` bytes of its body. */
function sendBatch(socket: Socket, body: Buffer, missing: number): void {
  const head = `POST ${batch} HTTP/1.1\r\nHost: x\r\nContent-Type: application/proto\r\nContent-Length: ${body.length}\r\n\r\n`;
  socket.write(head);
  socket.write(body.subarray(0, body.length - missing));
}

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Attacks by name. Each begins and stays until the peers end. */
export const hostileAttacks: Readonly<Record<string, (peers: HostilePeers) => void>> = {
  "61 KB of pipelined GET /metrics on one connection"(peers) {
    peers.openTcp(0, (socket) => socket.write(pipelined)).resume();
  },
  "0.6 MB of pipelined GET /metrics on each of ten connections"(peers) {
    for (const socket of times(10, (at) => peers.openTcp(at % 3, () => {}))) {
      socket.resume();
      for (let n = 0; n < 10; n += 1) socket.write(pipelined);
    }
  },
  "120 streams without a window on each of 40 connections"(peers) {
    for (const session of times(40, (at) => peers.openHttp2(at % 4, 0)))
      for (let n = 0; n < 120; n += 1) openStream(session, n % 2 === 0 ? "/metrics" : "/api/openapi.json");
  },
  "2 900 connections with half a head from three addresses"(peers) {
    times(2_900, (at) => peers.openTcp(at % 3, (socket) => socket.write("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")));
  },
  "120 half-sent bodies on each of 16 HTTP/2 connections of one peer"(peers) {
    for (const session of times(16, () => peers.openHttp2(0))) times(120, () => openStream(session, batch, half));
  },
  "120 half-sent bodies on each of 16 HTTP/2 connections of eight peers"(peers) {
    for (const session of times(16, (at) => peers.openHttp2(at % 8)))
      times(120, () => openStream(session, batch, half));
  },
  "a half-sent body on each of 500 HTTP/1 connections of two peers"(peers) {
    times(500, (at) => peers.openTcp(at % 2, (socket) => sendBatch(socket, half, 1)));
  },
  "streams that are reset at once on eight connections"(peers) {
    for (const session of times(8, (at) => peers.openHttp2(at % 2))) {
      const flood = (left: number): void => {
        for (let n = 0; n < 50 && !session.destroyed && !session.closed; n += 1)
          session
            .request({ ":path": "/metrics" })
            .on("error", () => {})
            .close(8);
        if (left > 0 && !session.destroyed) setImmediate(flood, left - 1);
      };
      session.once("connect", () => flood(400));
    }
  },
  "8.4 million empty results in each of 12 requests of four peers"(peers) {
    times(12, (at) => peers.openTcp(at % 4, (socket) => sendBatch(socket, emptyEntries, 0)).resume());
  },
};
