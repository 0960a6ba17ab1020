import { nameProblem } from "../../text/object-name.ts";
import { utf8Length } from "../../text/utf8.ts";
import { addProblem, createParser, type Parser, quoteText } from "./parser.ts";
import { string } from "./scalars.ts";
import type { FieldDocs } from "./schema.ts";
import { type Field, type KeyRule, keyMatching, map, withDefault } from "./structs.ts";

/** Rule for names of services and processes, and part of the rule for names of hosts. */
export const objectNameRule: KeyRule = {
  description: "of 1 to 255 bytes in NFC, without control, bidirectional and line-separator characters",
  problemOf(name) {
    if (name === "") return "has an empty name";
    if (name.length > 255 / 3 && utf8Length(name) > 255) return "has a name of more than 255 bytes";
    const problem = nameProblem(name);
    return problem === undefined ? undefined : `has ${problem} in its name`;
  },
};

/** Rule for names of hosts, which must not look like a reference to a service or process. */
export const hostNameRule: KeyRule = {
  description: `${objectNameRule.description}, without \`!\`, not beginning with \`process:\``,
  problemOf(name) {
    if (name.includes("!")) return 'has a "!" in its name, which separates host and service in references';
    if (name.startsWith("process:"))
      return 'has a name that begins with "process:", which marks references to processes';
    return objectNameRule.problemOf(name);
  },
};

/** Maximum length of a label's key and of its value: no selector can be longer, so a longer one could not be selected. */
const maxLabelLength = 4_096;
/** Maximum number of labels of one object: its row, which has all of them, must fit into a message. */
const maxLabels = 1_000;
const lengthProblem = (text: string): string =>
  `has ${text.length} characters, and a label's key or value has at most ${maxLabelLength}`;

const labelPattern = /^[a-zA-Z0-9][a-zA-Z0-9_.:/-]*$/;

/** Yields a wrong value unchanged, so that a selector of this value is not reported as matching no object. */
const labelValue: Parser<string> = createParser(
  { kind: "value", type: "string", constraint: `match \`${labelPattern.source}\`` },
  (value, node, context) => {
    const text = string(value, node, context);
    if (typeof value !== "string") return text;
    if (value.length > maxLabelLength) addProblem(context, node, lengthProblem(value));
    else if (!labelPattern.test(value))
      addProblem(context, node, `must match ${labelPattern.source}, which ${quoteText(value)} does not`);
    return text;
  },
);

type StringRecord = Readonly<Record<string, string>>;

function stringRecord(value: Parser<string>, keys?: KeyRule): Parser<StringRecord> {
  const entries = map(value, keys);
  return createParser(entries.schema, (json, node, context) => Object.fromEntries(entries(json, node, context)));
}

const labelKey = keyMatching(/^[a-z][a-z0-9_.-]*$/);
const labelEntries = stringRecord(labelValue, {
  description: labelKey.description,
  problemOf: (key) => (key.length > maxLabelLength ? lengthProblem(key) : labelKey.problemOf(key)),
});
const labelRecord: Parser<StringRecord> = createParser(labelEntries.schema, (json, node, context) => {
  const count = typeof json === "object" && json !== null ? Object.keys(json).length : 0;
  if (count > maxLabels) addProblem(context, node, `has ${count} labels; at most ${maxLabels} are allowed`);
  return labelEntries(json, node, context);
});
const varRecord = stringRecord(string, keyMatching(/^[A-Z][A-Z0-9_]*$/));
const headerRecord = stringRecord(string);
const resourceRecord = stringRecord(string, {
  description: "named `USER` and a number",
  problemOf: (key) => (/^USER[0-9]+$/.test(key) ? undefined : "must be named USER and a number, such as USER1"),
});

const empty: StringRecord = {};
export const labelsField = (docs: FieldDocs): Field<StringRecord> => withDefault(labelRecord, empty, docs);
export const varsField = (docs: FieldDocs): Field<StringRecord> => withDefault(varRecord, empty, docs);
export const headersField = (docs: FieldDocs): Field<StringRecord> =>
  withDefault(headerRecord, empty, { ...docs, secret: true });
export const resourcesField = (docs: FieldDocs): Field<StringRecord> =>
  withDefault(resourceRecord, empty, { ...docs, secret: true });

/** Field with the key of an entry of a section of the document. Default: empty, for none. */
export const referenceField = (section: string, help: string, example: string): Field<string> =>
  withDefault(string, "", { help, example, constraint: `a key of \`${section}\`` });
export const periodField = (help: string, example = "office-hours"): Field<string> =>
  referenceField("timeperiods", help, example);
