import { closeSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";

/**
 * Cuts off the symbols and debugging data at the end of a 64-bit little-endian ELF program, which no run reads: its last
 * segment ends before them. Works for programs of other architectures too. The format is that of `elf(5)`.
 */
export function stripSymbols(file) {
  const descriptor = openSync(file, "r+");
  try {
    const header = Buffer.alloc(64);
    readSync(descriptor, header, 0, header.length, 0);
    if (header.toString("latin1", 0, 6) !== "\x7fELF\x02\x01") throw new Error(`${file} is no 64-bit ELF program`);
    const [segmentsAt, segmentSize, segments] = [
      header.readBigUInt64LE(32),
      header.readUInt16LE(54),
      header.readUInt16LE(56),
    ];
    let end = 0n;
    for (let at = 0; at < segments; at++) {
      const segment = Buffer.alloc(segmentSize);
      readSync(descriptor, segment, 0, segmentSize, segmentsAt + BigInt(at * segmentSize));
      const segmentEnd = segment.readBigUInt64LE(8) + segment.readBigUInt64LE(32);
      if (segmentEnd > end) end = segmentEnd;
    }
    // Without the table of sections, whose place, number and names the header has.
    header.writeBigUInt64LE(0n, 40);
    header.writeUInt16LE(0, 60);
    header.writeUInt16LE(0, 62);
    writeSync(descriptor, header, 0, header.length, 0);
    ftruncateSync(descriptor, Number(end));
  } finally {
    closeSync(descriptor);
  }
}
