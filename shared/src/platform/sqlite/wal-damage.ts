import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

const headerBytes = 32;
const frameHeaderBytes = 24;
/** Magic number of a log with little-endian checksums; that of a big-endian one is larger by 1. */
const magic = 0x377f0682;

type WalFile = { readonly bytes: Buffer; readonly pageBytes: number; readonly littleEndian: boolean };

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Detects damage that SQLite does not report when it opens a database: a damaged write-ahead log, or a log without its
 * database, which SQLite would delete.
 *
 * @returns the damage; undefined for an intact log
 */
export function findDamageBeforeOpening(path: string): string | undefined {
  if (sizeOf(path) > 0) return findWalDamage(`${path}-wal`);
  return sizeOf(`${path}-wal`) > 0 ? "it is missing or empty, and its write-ahead log is there" : undefined;
}

/**
 * Detects damage before the last commit of a write-ahead log. SQLite treats the first invalid frame as the end of the
 * log. That is right for an incomplete last write, but a flipped bit further up would silently drop confirmed commits.
 * Every commit is synced before the next one begins, so complete commits after an invalid frame cannot result from a
 * crash.
 *
 * @returns the damage and its position; undefined for an intact log and for a missing one
 */
function findWalDamage(path: string): string | undefined {
  const bytes = readWhole(path);
  if (!bytes || bytes.length < headerBytes + frameHeaderBytes) return undefined;
  if (!isHeaderValid(bytes)) return wasHeaderValid(bytes) ? "the header of its write-ahead log is damaged" : undefined;
  const log = parseWal(bytes);
  const frameBytes = frameHeaderBytes + log.pageBytes;
  const frames = Math.floor((log.bytes.length - headerBytes) / frameBytes);
  const good = countGoodFrames(log, frames);
  // Damage is certain when a commit follows the invalid frame, and another frame of the same generation follows the
  // commit.
  for (let i = good, committed = false; i < frames; i++) {
    const at = headerBytes + i * frameBytes;
    if (!isOfGeneration(log.bytes, at)) continue;
    if (committed) return `its write-ahead log is damaged at byte ${headerBytes + good * frameBytes}`;
    committed = log.bytes.readUInt32BE(at + 4) !== 0;
  }
  return undefined;
}

/** Parses a log whose header is valid. */
const parseWal = (bytes: Buffer): WalFile => ({
  bytes,
  pageBytes: bytes.readUInt32BE(8),
  littleEndian: bytes.readUInt32BE(0) === magic,
});

/** True when SQLite accepts the log's header; with an invalid header it ignores the whole log. */
function isHeaderValid(bytes: Buffer): boolean {
  const kind = bytes.readUInt32BE(0);
  const pageBytes = bytes.readUInt32BE(8);
  if ((kind !== magic && kind !== magic + 1) || pageBytes < 512 || pageBytes > 65_536) return false;
  const head = bytes.subarray(0, headerBytes);
  return sumsAre(head, 24, addWords(wordsOf(head, kind === magic), [0, 0], { from: 0, to: 24 }));
}

/**
 * True when an invalid header was valid before: its first frame has the header's salts, or the header becomes valid
 * with the frame's salts. Neither holds for a header that a crash left incomplete while the log was restarted; the
 * frames of such a log are already in the database.
 */
function wasHeaderValid(bytes: Buffer): boolean {
  if (sameGeneration(bytes, headerBytes)) return true;
  const repaired = Buffer.from(bytes.subarray(0, headerBytes));
  bytes.copy(repaired, 16, headerBytes + 8, headerBytes + 16);
  return isHeaderValid(repaired);
}

function readWhole(path: string): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return undefined;
  }
  try {
    const bytes = Buffer.alloc(fstatSync(file).size);
    readSync(file, bytes, 0, bytes.length, 0);
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** True when a frame has the header's salts. They change at each restart of the log, so older frames do not match. */
const sameGeneration = (bytes: Buffer, at: number): boolean => bytes.compare(bytes, 16, 24, at + 8, at + 16) === 0;

/** Like `sameGeneration`, but tolerates damage to one of the two salts; in an older frame both differ. */
const isOfGeneration = (bytes: Buffer, at: number): boolean =>
  bytes.compare(bytes, 16, 20, at + 8, at + 12) === 0 || bytes.compare(bytes, 20, 24, at + 12, at + 16) === 0;

/** Number of frames, from the first on, whose running checksum is valid. */
function countGoodFrames({ bytes, pageBytes, littleEndian }: WalFile, frames: number): number {
  const words = wordsOf(bytes, littleEndian);
  let sums: Sums = addWords(words, [0, 0], { from: 0, to: 24 });
  for (let i = 0; i < frames; i++) {
    const at = headerBytes + i * (frameHeaderBytes + pageBytes);
    if (!sameGeneration(bytes, at)) return i;
    sums = addWords(words, sums, { from: at, to: at + 8 });
    sums = addWords(words, sums, { from: at + frameHeaderBytes, to: at + frameHeaderBytes + pageBytes });
    if (!sumsAre(bytes, at + 16, sums)) return i;
  }
  return frames;
}

type Sums = readonly [number, number];

const sumsAre = (bytes: Buffer, at: number, [a, b]: Sums): boolean =>
  bytes.readUInt32BE(at) === a && bytes.readUInt32BE(at + 4) === b;

/** The log as 32-bit words. Node.js runs on little-endian machines only, so a big-endian log is byte-swapped. */
function wordsOf(bytes: Buffer, littleEndian: boolean): Uint32Array {
  const copy = new Uint8Array(bytes.subarray(0, bytes.length - (bytes.length % 4)));
  if (!littleEndian) Buffer.from(copy.buffer).swap32();
  return new Uint32Array(copy.buffer);
}

/** Adds the bytes [from, to), both multiples of 8, to an SQLite checksum. */
function addWords(words: Uint32Array, [a, b]: Sums, range: { from: number; to: number }): Sums {
  for (let i = range.from / 4; i < range.to / 4; i += 2) {
    a = (a + (words[i] ?? 0) + b) >>> 0;
    b = (b + (words[i + 1] ?? 0) + a) >>> 0;
  }
  return [a, b];
}
