import { fail, ok, type Result } from "@realmwatch/shared/model/result";

/** Bytes of a page, the unit of module memory. */
export const pageBytes = 65_536;

const [tableSection, memorySection] = [4, 5];
/** Flag bits of a memory: it has a maximum, is shared between threads, has 64-bit addresses. */
const [hasMax, isShared, isWide] = [1, 2, 4];
/** Maximum tables; compilers produce one. Each can grow to 80 MB that no memory limit includes. */
const maxTables = 4;

/**
 * Returns the module with its memory's maximum lowered to `maxPages`, so that growing beyond it fails inside the module.
 * The error is a phrase. Does not validate the rest: compilation does.
 */
export function limitModuleMemory(bytes: Uint8Array, maxPages: number): Result<Uint8Array, string> {
  const header = Buffer.from(bytes.subarray(0, 8)).toString("hex");
  if (header === "0061736d0d000100") return fail("it is a component, not a module of WASI preview 1");
  if (header !== "0061736d01000000") return fail("it is not a WebAssembly module");
  const parts = [bytes.subarray(0, 8)];
  const reader = new Reader(bytes, 8);
  while (!reader.atEnd) {
    const from = reader.at;
    const id = reader.byte();
    const content = new Reader(reader.take(reader.number()), 0);
    if (id === tableSection && content.number() > maxTables) return fail(`it has more than ${maxTables} tables`);
    const capped = id === memorySection ? capSection(content, maxPages) : undefined;
    if (capped?.ok === false) return capped;
    parts.push(capped?.value ?? bytes.subarray(from, reader.at));
    if (reader.isBroken || content.isBroken) return fail("it is truncated or damaged");
  }
  return ok(Buffer.concat(parts));
}

function capSection(content: Reader, maxPages: number): Result<Uint8Array, string> {
  const count = content.number();
  if (count > 1) return fail("it has more than one memory");
  if (count === 0) return ok(Uint8Array.of(memorySection, 1, 0));
  const flags = content.byte();
  if (flags & (isShared | isWide)) return fail("its memory is shared or 64-bit, which WASI preview 1 does not support");
  const min = content.number();
  const max = flags & hasMax ? content.number() : maxPages;
  const limit = `${(maxPages * pageBytes) / 2 ** 20} MiB`;
  if (min > maxPages) return fail(`its initial memory is more than ${limit}`);
  const body = [1, hasMax, ...encode(min), ...encode(Math.min(max, maxPages))];
  return ok(Uint8Array.from([memorySection, ...encode(body.length), ...body]));
}

/** LEB128 encoding of an unsigned number below 2^32. */
function encode(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...encode(value >>> 7)];
}

/** Sequential reader. Past the end it returns zeros and sets `isBroken`. */
class Reader {
  readonly #bytes: Uint8Array;
  at: number;
  isBroken = false;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  get atEnd(): boolean {
    return this.isBroken || this.at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.at++];
    if (value === undefined) this.isBroken = true;
    return value ?? 0;
  }

  /** Reads an unsigned 32-bit LEB128 number. */
  number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    this.isBroken = true;
    return 0;
  }

  take(length: number): Uint8Array {
    const taken = this.#bytes.subarray(this.at, this.at + length);
    if (taken.length < length) this.isBroken = true;
    this.at += length;
    return taken;
  }
}
