type Compress = (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>;
type Compressed = { readonly bytes: Uint8Array; readonly result: ReturnType<Compress> };

/** Sizes of the bodies that are remembered, bytes, and their maximum number: 8 MiB at most. */
const remembered = { leastBytes: 1_024, mostBytes: 1_048_576, count: 8 } as const;

/** Compresses equal bodies once: many callers get the same answer within moments. */
export function sharedCompression(compress: Compress): Compress {
  const recent: Compressed[] = [];
  return (bytes) => {
    if (bytes.length < remembered.leastBytes || bytes.length > remembered.mostBytes) return compress(bytes);
    const known = recent.find((one) => one.bytes.length === bytes.length && Buffer.compare(one.bytes, bytes) === 0);
    if (known !== undefined) return known.result;
    const result = compress(bytes);
    recent.push({ bytes, result });
    if (recent.length > remembered.count) recent.shift();
    return result;
  };
}
