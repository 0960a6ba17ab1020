/** A macro of a line: `$NAME$`, or `$$` for a dollar. `:` is let in so that on-demand macros are seen and refused. */
const macroPattern = /\$([A-Za-z0-9_]*(?::[^\s$]*)?)\$/g;

/** Of hosts; services have the same ones under their own word. `@` stands for HOST or SERVICE. */
const objectMacros = [
  "@DISPLAYNAME",
  "@STATE",
  "@STATEID",
  "@STATETYPE",
  "@ATTEMPT",
  "MAX@ATTEMPTS",
  "LAST@STATE",
  "LAST@STATEID",
  "LAST@CHECK",
  "LAST@STATECHANGE",
  "@OUTPUT",
  "LONG@OUTPUT",
  "@PERFDATA",
  "@DURATION",
  "@DURATIONSEC",
  "@DOWNTIME",
  "@PERCENTCHANGE",
  "@LATENCY",
  "@EXECUTIONTIME",
  "@CHECKCOMMAND",
  "@NOTIFICATIONNUMBER",
  "@PROBLEMID",
  "LAST@PROBLEMID",
  "@EVENTID",
];

/** Every macro with a fixed name, in Nagios' spelling. ARGn, USERn and those of custom variables are open families. */
export const macroNames: readonly string[] = [
  "HOSTNAME",
  "HOSTALIAS",
  "HOSTADDRESS",
  ...objectMacros.map((name) => name.replace("@", "HOST")),
  "SERVICEDESC",
  ...objectMacros.map((name) => name.replace("@", "SERVICE")),
  "CONTACTNAME",
  "CONTACTALIAS",
  "CONTACTEMAIL",
  "CONTACTPAGER",
  "NOTIFICATIONTYPE",
  "NOTIFICATIONKIND",
  "NOTIFICATIONNUMBER",
  "NOTIFICATIONISESCALATED",
  "NOTIFICATIONRECIPIENTS",
  "NOTIFICATIONAUTHOR",
  "NOTIFICATIONCOMMENT",
  "LONGDATETIME",
  "SHORTDATETIME",
  "DATE",
  "TIME",
  "TIMET",
];

const fixedNames: ReadonlySet<string> = new Set(macroNames);
const openFamilies = /^(?:ARG(?:[1-9]|[12][0-9]|3[0-2])|USER[0-9]+|_(?:HOST|SERVICE)[A-Z][A-Z0-9_]*)$/;

/** Whether some object could give `name` (written without dollars) a value. Names are case-sensitive. */
export const isKnownMacro = (name: string): boolean => fixedNames.has(name) || openFamilies.test(name);

/** A stretch of plain text (`$$` has become `$`), or a macro. `written` is the macro with its dollars. */
export type MacroPiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "macro"; readonly name: string; readonly written: string };

/** `text` cut at its macros, in order, nothing left out but the second dollar of each `$$`. */
export function splitAtMacros(text: string): MacroPiece[] {
  const pieces: MacroPiece[] = [];
  let at = 0;
  for (const { 0: written, 1: name = "", index } of text.matchAll(macroPattern)) {
    if (index > at) pieces.push({ kind: "text", text: text.slice(at, index) });
    pieces.push(name === "" ? { kind: "text", text: "$" } : { kind: "macro", name, written });
    at = index + written.length;
  }
  if (at < text.length) pieces.push({ kind: "text", text: text.slice(at) });
  return pieces;
}

/** The names between dollars in `line`, each once, in order of appearance. `$$` is none. */
export function macroNamesIn(line: string): string[] {
  const names = new Set<string>();
  for (const [, name] of line.matchAll(macroPattern)) if (name) names.add(name);
  return [...names];
}

/**
 * `text` with each macro replaced by what `lookup` gives for its name; one that it does not know stays as it is
 * written, dollars included, and so does a lone `$`. Values are not looked into: a macro inside a value is data.
 */
export function expandMacros(text: string, lookup: (name: string) => string | undefined): string {
  return text.replace(macroPattern, (written, name: string) => (name === "" ? "$" : (lookup(name) ?? written)));
}
