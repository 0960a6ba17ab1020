import type { About } from "./schema.ts";
import { complain, quote, type Reader, readerOf } from "./parser.ts";
import { type Field, type KeyRule, keyLike, map, optional } from "./structs.ts";
import { text } from "./strings.ts";

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
export const objectName: KeyRule = {
  says: "of 1 to 255 bytes without control characters",
  wrongWith(name) {
    if (name === "") return "has an empty name";
    if (name.length > 255 / 3 && bytesOf(name) > 255) return "has a name of more than 255 bytes";
    return hasControl.test(name) ? "has a control character in its name" : undefined;
  },
};

/** A host's name must not read like a reference to a service or process. */
export const hostName: KeyRule = {
  says: `${objectName.says}, without \`!\`, not beginning with \`process:\``,
  wrongWith(name) {
    if (name.includes("!")) return 'has a "!" in its name, which parts host and service in references';
    if (name.startsWith("process:"))
      return 'has a name that begins with "process:", which marks references to processes';
    return objectName.wrongWith(name);
  },
};

const labelPattern = /^[a-zA-Z0-9][a-zA-Z0-9_.:/-]*$/;

/** A wrong value is kept, so that what selects by it is not complained about as well. */
const labelValue: Reader<string> = readerOf(
  { kind: "value", type: "string", constraint: `match \`${labelPattern.source}\`` },
  (value, trail, reading) => {
    const read = text(value, trail, reading);
    if (typeof value === "string" && !labelPattern.test(value))
      complain(reading, trail, `must match ${labelPattern.source}, which ${quote(value)} does not`);
    return read;
  },
);

type Texts = Readonly<Record<string, string>>;

/** A map of texts as a record. */
function texts(value: Reader<string>, keys?: KeyRule): Reader<Texts> {
  const entries = map(value, keys);
  return readerOf(entries.form, (json, trail, reading) => Object.fromEntries(entries(json, trail, reading)));
}

const labelMap = texts(labelValue, keyLike(/^[a-z][a-z0-9_.-]*$/));
const varMap = texts(text, keyLike(/^[A-Z][A-Z0-9_]*$/));
const headerMap = texts(text);
const resourceMap = texts(text, {
  says: "named `USER` and a number",
  wrongWith: (key) => (/^USER[0-9]+$/.test(key) ? undefined : "must be named USER and a number, such as USER1"),
});

const empty: Texts = {};
export const labels = (about: About): Field<Texts> => optional(labelMap, empty, about);
export const vars = (about: About): Field<Texts> => optional(varMap, empty, about);
/** Any names, any texts. */
export const headers = (about: About): Field<Texts> => optional(headerMap, empty, about);
export const resources = (about: About): Field<Texts> => optional(resourceMap, empty, about);
