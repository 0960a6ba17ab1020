import { complain, type KeyRule, keyLike, map, optional, quote, type Reader, text } from "./shape.ts";

const hasControl = /\p{Cc}/u;
const bytesOf = (name: string): number => {
  let bytes = 0;
  for (const char of name) {
    const point = char.codePointAt(0) as number;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
};

/** Of hosts, services and processes. */
export const objectName: KeyRule = (name) => {
  if (name === "") return "has an empty name";
  if (bytesOf(name) > 255) return "has a name of more than 255 bytes";
  return hasControl.test(name) ? "has a control character in its name" : undefined;
};

/** A host's name must not read like a reference to a service or process. */
export const hostName: KeyRule = (name) => {
  if (name.includes("!")) return 'has a "!" in its name, which parts host and service in references';
  if (name.startsWith("process:")) return 'has a name that begins with "process:", which marks references to processes';
  return objectName(name);
};

/** A wrong value is kept, so that what selects by it is not complained about as well. */
const labelValue: Reader<string> = (value, trail, reading) => {
  const read = text(value, trail, reading);
  if (typeof value === "string" && !/^[a-zA-Z0-9][a-zA-Z0-9_.:/-]*$/.test(value))
    complain(reading, trail, `must match ^[a-zA-Z0-9][a-zA-Z0-9_.:/-]*$, which ${quote(value)} does not`);
  return read;
};

const asRecord =
  (reader: Reader<ReadonlyMap<string, string>>): Reader<Readonly<Record<string, string>>> =>
  (value, trail, reading) =>
    Object.fromEntries(reader(value, trail, reading));

export const labels = optional(asRecord(map(labelValue, keyLike(/^[a-z][a-z0-9_.-]*$/))), {});
export const vars = optional(asRecord(map(text, keyLike(/^[A-Z][A-Z0-9_]*$/))), {});
/** Any names, any texts. */
export const headers = optional(asRecord(map(text)), {});
export const resources = optional(
  asRecord(
    map(text, (key) => (/^USER[0-9]+$/.test(key) ? undefined : "must be named USER and a number, such as USER1")),
  ),
  {},
);
