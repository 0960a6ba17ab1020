/** Writer of small numbers into a growing buffer. */
export function byteWriter() {
  let buffer = new Uint8Array(256);
  let at = 0;
  const byte = (value: number): void => {
    if (at === buffer.length) {
      const larger = new Uint8Array(buffer.length * 2);
      larger.set(buffer);
      buffer = larger;
    }
    buffer[at] = value;
    at += 1;
  };
  const varint = (value: number): void => {
    let rest = value;
    while (rest >= 0x80) {
      byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    byte(rest);
  };
  return {
    byte,
    /** Writes a whole number from 0 to 2^53 - 1 in groups of seven bits. */
    varint,
    /** Writes a whole number of either sign; numbers near zero take one byte. */
    signed: (value: number): void => varint(value < 0 ? -value * 2 - 1 : value * 2),
    bytes: (): Uint8Array => buffer.subarray(0, at),
  };
}

/** Reader of what a `byteWriter` wrote. Throws at the end of the bytes. */
export function byteReader(bytes: Uint8Array) {
  let at = 0;
  const byte = (): number => {
    const value = bytes[at];
    if (value === undefined) throw new Error("a chunk of metrics ends too early");
    at += 1;
    return value;
  };
  const varint = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const next = byte();
      value += (next & 0x7f) * scale;
      if (next < 0x80) return value;
      scale *= 0x80;
    }
  };
  return {
    byte,
    varint,
    signed(): number {
      const value = varint();
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    },
  };
}
