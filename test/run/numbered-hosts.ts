/**
 * Writes hosts `h0`, `h1` … of a document, each with the fields that `fieldsOf` returns for its number. They are written
 * out, because the evaluation of a comprehension costs each start of a program a second of processor time.
 */
export const numberedHosts = (count: number, fieldsOf: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `hosts: h${at}: {${fieldsOf(at)}}`).join("\n");
