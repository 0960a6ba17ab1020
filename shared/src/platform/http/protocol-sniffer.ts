import type { Socket } from "node:net";
import type { Clock } from "../../model/clock.ts";

/** What every HTTP/2 connection begins with. */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export type Protocol = "http1" | "http2";

/**
 * Tells from its first bytes what a fresh connection speaks, and hands it, whole, to `take` once.
 * Drops it instead when it closes, fails or says too little within `deadlineMs`, and when its first byte begins no
 * HTTP method: a TLS hello, a binary proxy header. Never looks at more than the 24 bytes of the HTTP/2 preface.
 *
 * @returns what drops the connection as long as it is not decided
 */
export function sniffProtocol(
  socket: Socket,
  take: (protocol: Protocol) => void,
  { clock, deadlineMs }: { readonly clock: Clock; readonly deadlineMs: number },
): () => void {
  // Given back only when it is decided: a stream that is given bytes back says at once that it has some to read.
  let seen = Buffer.alloc(0);
  const cancel = clock.after(deadlineMs, drop);
  socket.on("error", drop);
  socket.on("end", drop);
  socket.on("close", settle);
  socket.on("readable", look);
  look();
  return drop;

  function look(): void {
    const bytes: Buffer | null = socket.read();
    if (bytes === null) return;
    seen = Buffer.concat([seen, bytes]);
    const verdict = judge(seen);
    if (verdict === "more") return;
    if (verdict === "drop") return drop();
    settle();
    socket.unshift(seen);
    take(verdict);
  }
  function settle(): void {
    cancel();
    socket.off("error", drop);
    socket.off("end", drop);
    socket.off("close", settle);
    socket.off("readable", look);
  }
  function drop(): void {
    settle();
    // A late error of a dropped connection concerns nobody, but unheard it would end the process.
    socket.on("error", () => {});
    socket.destroy();
  }
}

function judge(bytes: Buffer): Protocol | "more" | "drop" {
  const length = Math.min(bytes.length, preface.length);
  if (bytes.compare(preface, 0, length, 0, length) === 0) return length === preface.length ? "http2" : "more";
  const first = bytes[0] ?? 0;
  return first >= 0x41 && first <= 0x5a ? "http1" : "drop";
}
