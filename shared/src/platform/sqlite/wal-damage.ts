import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

const headerBytes = 32;
const frameHeaderBytes = 24;
/** Magic of a log whose checksums are over little-endian words; one more: big-endian. */
const magic = 0x377f0682;

type WalFile = { readonly bytes: Buffer; readonly pageBytes: number; readonly littleEndian: boolean };

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * What SQLite would not tell of a database when it opens it, as a sentence; undefined where there is nothing. A log whose
 * database is gone it would throw away.
 */
export function findDamageBeforeOpening(path: string): string | undefined {
  if (sizeOf(path) > 0) return findWalDamage(`${path}-wal`);
  return sizeOf(`${path}-wal`) > 0 ? "it is missing or empty, and its write-ahead log is there" : undefined;
}

/**
 * Whether a write-ahead log is damaged before its last commit. SQLite takes the first bad frame for the end
 * of the log: right for a torn last write, but a flipped bit further up would silently take back commits
 * that were promised. Every commit is synced before the next one is begun, so whole commits behind a bad
 * frame cannot come from a crash.
 *
 * @returns where the damage is, as a sentence; undefined where there is none, or no log
 */
function findWalDamage(path: string): string | undefined {
  const bytes = readWhole(path);
  if (!bytes || bytes.length < headerBytes + frameHeaderBytes) return undefined;
  if (!isHeaderValid(bytes)) return wasHeaderValid(bytes) ? "the head of its write-ahead log is damaged" : undefined;
  const log = parseWal(bytes);
  const frameBytes = frameHeaderBytes + log.pageBytes;
  const frames = Math.floor((log.bytes.length - headerBytes) / frameBytes);
  const good = countGoodFrames(log, frames);
  // A commit among the frames behind, and one more frame of the same generation behind that.
  for (let i = good, committed = false; i < frames; i++) {
    const at = headerBytes + i * frameBytes;
    if (!isOfGeneration(log.bytes, at)) continue;
    if (committed) return `its write-ahead log is damaged at byte ${headerBytes + good * frameBytes}`;
    committed = log.bytes.readUInt32BE(at + 4) !== 0;
  }
  return undefined;
}

/** A log whose head holds. */
const parseWal = (bytes: Buffer): WalFile => ({
  bytes,
  pageBytes: bytes.readUInt32BE(8),
  littleEndian: bytes.readUInt32BE(0) === magic,
});

/** Whether the log's head is one that SQLite takes; it takes nothing of a log whose head it does not take. */
function isHeaderValid(bytes: Buffer): boolean {
  const kind = bytes.readUInt32BE(0);
  const pageBytes = bytes.readUInt32BE(8);
  if ((kind !== magic && kind !== magic + 1) || pageBytes < 512 || pageBytes > 65_536) return false;
  const head = bytes.subarray(0, headerBytes);
  return sumsAre(head, 24, addWords(wordsOf(head, kind === magic), [0, 0], { from: 0, to: 24 }));
}

/**
 * Whether a head that does not hold once did: its first frame is of its generation, or would be were the head's salts
 * not damaged. A head that a crash tore while the log was begun anew is neither, and what lies behind it is in the
 * file already.
 */
function wasHeaderValid(bytes: Buffer): boolean {
  if (sameGeneration(bytes, headerBytes)) return true;
  const mended = Buffer.from(bytes.subarray(0, headerBytes));
  bytes.copy(mended, 16, headerBytes + 8, headerBytes + 16);
  return isHeaderValid(mended);
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

/** Salts are drawn anew when the log begins anew: what an earlier generation left behind is no part of it. */
const sameGeneration = (bytes: Buffer, at: number): boolean => bytes.compare(bytes, 16, 24, at + 8, at + 16) === 0;

/** As above, also where one of the two salts is damaged: those of an earlier generation both differ. */
const isOfGeneration = (bytes: Buffer, at: number): boolean =>
  bytes.compare(bytes, 16, 20, at + 8, at + 12) === 0 || bytes.compare(bytes, 20, 24, at + 12, at + 16) === 0;

/** Frames whose running checksum holds, from the first on. */
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

/** The log as 32-bit words. Every machine that Node runs on is little-endian; the other order is swapped. */
function wordsOf(bytes: Buffer, littleEndian: boolean): Uint32Array {
  const copy = new Uint8Array(bytes.subarray(0, bytes.length - (bytes.length % 4)));
  if (!littleEndian) Buffer.from(copy.buffer).swap32();
  return new Uint32Array(copy.buffer);
}

/** SQLite's checksum, over the bytes [from, to): both a multiple of 8. */
function addWords(words: Uint32Array, [a, b]: Sums, range: { from: number; to: number }): Sums {
  for (let i = range.from / 4; i < range.to / 4; i += 2) {
    a = (a + (words[i] ?? 0) + b) >>> 0;
    b = (b + (words[i + 1] ?? 0) + a) >>> 0;
  }
  return [a, b];
}
