declare module "snappyjs" {
  /** Compresses to Snappy's block format. */
  export function compress(data: Uint8Array): Uint8Array;
  export function uncompress(data: Uint8Array): Uint8Array;
}
