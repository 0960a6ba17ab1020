/**
 * [SC1] Offset of an object's first check in its interval, as a fraction in [0, 1). Always the same for the same name,
 * and evenly spread over names: FNV-1a with a final mix, because short names differ in few low bits.
 */
export function spreadOf(ref: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < ref.length; i += 1) hash = Math.imul(hash ^ ref.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}
