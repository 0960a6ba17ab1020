import type { Socket } from "node:net";
import type { Clock } from "../../model/clock.ts";

/** First bytes of every HTTP/2 connection (RFC 9113, section 3.4). */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

type Protocol = "http1" | "http2";

/**
 * Detects the protocol of a new connection from its first bytes and calls `take` once, with all bytes still unread.
 * Drops the connection when it closes, fails or sends too few bytes within `deadlineMs`, or when its first byte cannot
 * begin an HTTP method (a TLS hello, a binary proxy header). Reads at most the 24 bytes of the HTTP/2 preface.
 *
 * @returns a function that drops the connection while its protocol is undecided
 */
export function sniffProtocol(
  socket: Socket,
  take: (protocol: Protocol) => void,
  { clock, deadlineMs }: { readonly clock: Clock; readonly deadlineMs: number },
): () => void {
  // Unshifted only after the decision, because unshifting emits "readable" again at once.
  let seen = Buffer.alloc(0);
  const cancel = clock.after(deadlineMs, drop);
  socket.on("error", drop);
  socket.on("end", drop);
  socket.on("close", settle);
  socket.on("readable", inspect);
  inspect();
  return drop;

  function inspect(): void {
    const bytes: Buffer | null = socket.read();
    if (bytes === null) return;
    seen = Buffer.concat([seen, bytes]);
    const verdict = detect(seen);
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
    socket.off("readable", inspect);
  }
  function drop(): void {
    settle();
    // An unhandled late error of the dropped connection would end the process.
    socket.on("error", () => {});
    socket.destroy();
  }
}

function detect(bytes: Buffer): Protocol | "more" | "drop" {
  const length = Math.min(bytes.length, preface.length);
  if (bytes.compare(preface, 0, length, 0, length) === 0) return length === preface.length ? "http2" : "more";
  const first = bytes[0] ?? 0;
  return first >= 0x41 && first <= 0x5a ? "http1" : "drop";
}
