import type { Readable } from "node:stream";

/** Bytes of one stream that are kept. */
const maxBytes = 65_536;

export type Captured = {
  /** What came so far, as text. A character that the limit cut in two is left out. */
  text(): string;
  truncated(): boolean;
};

/** Reads `stream` to its end and keeps its beginning. Its errors end it like an end. */
export function captureOutput(stream: Readable): Captured {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let dropped = false;
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => {
    const room = maxBytes - keptBytes;
    dropped ||= chunk.length > room;
    if (room === 0) return;
    // A copy: a slice would keep the whole 64 KiB that were read alive.
    const part = Buffer.from(chunk.subarray(0, room));
    kept.push(part);
    keptBytes += part.length;
  });
  return {
    text: () => new TextDecoder().decode(Buffer.concat(kept), { stream: dropped }),
    truncated: () => dropped,
  };
}
