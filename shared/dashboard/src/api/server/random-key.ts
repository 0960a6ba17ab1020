/** Random key of 32 hexadecimal digits. `crypto.randomUUID` is missing on pages that were served without TLS. */
export const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
