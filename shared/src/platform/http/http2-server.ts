import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { Clock } from "../../model/clock.ts";

export type Http2Limits = {
  /** Maximum number of concurrent streams of one connection. */
  readonly streams: number;
  /** Maximum size of a request's headers, bytes. */
  readonly headerBytes: number;
  /** Time after which a connection without a stream is closed, ms. */
  readonly idleMs: number;
};

/** Memory limit of one session, MB. Node.js buffers large responses in it while a slow client reads. */
const maxSessionMemory = 64;

/** Resets of streams that a client may send at once, and then in a second: a browser cancels some tens when a page is left. */
const resets = { streamResetBurst: 200, streamResetRate: 20 } as const;
/** Entries of a frame with settings; the protocol has seven. Further ones and frames that are invalid end the session. */
const frames = { maxSettings: 16, maxSessionInvalidFrames: 100 } as const;
/** Pings and frames with settings that a client may send in `floodMs`. */
const maxControlFrames = 100;
const floodMs = 10_000;

/** Creates an HTTP/2 server for sockets that are passed to it. `drain` lets each session finish its open streams. */
export function openHttp2Server(
  limits: Http2Limits,
  clock: Clock,
): { readonly server: Http2Server; readonly drain: () => void } {
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer({
    maxSessionMemory,
    ...resets,
    ...frames,
    settings: { maxConcurrentStreams: limits.streams, maxHeaderListSize: limits.headerBytes, enablePush: false },
  });
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    closeWhenIdle(session, limits.idleMs, clock);
    closeWhenFlooded(session, clock);
  });
  // Node.js closes the session after a protocol error; no other handling is needed.
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

/** [IN6] Closes a session that answers pings and settings only: Node.js limits those whose answers are not read. */
function closeWhenFlooded(session: ServerHttp2Session, clock: Clock): void {
  let received = 0;
  let sinceMs = clock.monotonic();
  const count = (): void => {
    const nowMs = clock.monotonic();
    if (nowMs - sinceMs > floodMs) [received, sinceMs] = [0, nowMs];
    received += 1;
    if (received > maxControlFrames) session.destroy();
  };
  session.on("ping", count);
  session.on("remoteSettings", count);
}
