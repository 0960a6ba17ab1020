/** Macro in a text: `$NAME$`, or `$$` for a dollar sign. `:` is accepted so that on-demand macros can be rejected. */
const macroPattern = /\$([A-Za-z0-9_]*(?::[^\s$]*)?)\$/g;

/** Macros of hosts and services. `@` stands for HOST or SERVICE. */
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

/** Macros with fixed names, as in Nagios. ARGn, USERn and the macros of custom variables are not listed. */
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
  "NOTIFICATIONPOSSIBLEDUPLICATE",
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
const numberedOrCustom = /^(?:ARG(?:[1-9]|[12][0-9]|3[0-2])|USER[0-9]+|_(?:HOST|SERVICE)[A-Z][A-Z0-9_]*)$/;

/** True when a macro with this name (without dollar signs) exists. Names are case-sensitive. */
export const isKnownMacro = (name: string): boolean => fixedNames.has(name) || numberedOrCustom.test(name);

/** Literal text (with `$$` replaced by `$`), or a macro. `written` is the macro with its dollar signs. */
export type MacroPiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "macro"; readonly name: string; readonly written: string };

/** Splits a text into literal text and macros, in order. */
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

/** Names of the macros in a text, each once, in order of first occurrence. */
export function macroNamesIn(line: string): string[] {
  const names = new Set<string>();
  for (const [, name] of line.matchAll(macroPattern)) if (name) names.add(name);
  return [...names];
}

/**
 * Replaces each macro by the value that `lookup` returns for its name. A macro without a value and a single `$` stay
 * unchanged. Macros within values are not expanded.
 */
export function expandMacros(text: string, lookup: (name: string) => string | undefined): string {
  return text.replace(macroPattern, (written, name: string) => (name === "" ? "$" : (lookup(name) ?? written)));
}
