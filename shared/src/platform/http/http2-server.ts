import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { Clock } from "../../model/clock.ts";

export type Http2Limits = {
  /** Of one connection at once. */
  readonly streams: number;
  /** Of one request, bytes. */
  readonly headerBytes: number;
  /** A connection without a stream is closed after this, ms. */
  readonly idleMs: number;
};

/** MB that Node.js lets one session hold; large answers wait in it while a slow client reads. */
const maxSessionMemory = 64;

/** An HTTP/2 server for connections that are handed to it, and the ending of its sessions. */
export function openHttp2Server(
  limits: Http2Limits,
  clock: Clock,
): { readonly server: Http2Server; readonly drain: () => void } {
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer({
    maxSessionMemory,
    settings: { maxConcurrentStreams: limits.streams, maxHeaderListSize: limits.headerBytes, enablePush: false },
  });
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    closeWhenIdle(session, limits.idleMs, clock);
  });
  // A caller that breaks the protocol loses its session; there is nothing else to do about it.
  server.on("sessionError", () => {});
  return {
    server,
    drain() {
      for (const session of sessions) session.close();
    },
  };
}

function closeWhenIdle(session: ServerHttp2Session, idleMs: number, clock: Clock): void {
  let streams = 0;
  let cancel = clock.after(idleMs, () => session.close());
  session.on("stream", (stream) => {
    cancel();
    streams += 1;
    stream.once("close", () => {
      streams -= 1;
      if (streams === 0 && !session.closed) cancel = clock.after(idleMs, () => session.close());
    });
  });
  session.once("close", () => cancel());
}
