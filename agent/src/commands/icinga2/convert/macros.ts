import { never } from "@realmwatch/shared/model/never";
import { IcingaDictionary, IcingaUnknown, type IcingaValue, icingaText, isIcingaList } from "../dsl/values.ts";
import { customVars, type IcingaObject, shortName } from "../icinga-object.ts";

/** Object whose values macros may read, and the name that they use for it: `host`, `service`, `user`, `notification`. */
export type IcingaMacroObject = { readonly as: string; readonly object: IcingaObject };

/** Objects that macros may name; the first one that has a variable gives its value. */
export type IcingaMacroSource = {
  readonly objects: readonly IcingaMacroObject[];
  /** Variables that apply where no object has one. */
  readonly command: IcingaDictionary;
};

/** Result for a macro: a value, or a macro of the document for values that are known at run time only. */
type IcingaMacroValue =
  | { readonly kind: "value"; readonly value: IcingaValue }
  | { readonly kind: "macro"; readonly name: string }
  | { readonly kind: "missing" };

/** Macros of the document by names of the language; `@` stands for `host` and `service`. */
const objectMacros: Readonly<Record<string, string>> = {
  display_name: "@DISPLAYNAME",
  state: "@STATE",
  state_id: "@STATEID",
  state_type: "@STATETYPE",
  check_attempt: "@ATTEMPT",
  max_check_attempts: "MAX@ATTEMPTS",
  last_state: "LAST@STATE",
  last_state_id: "LAST@STATEID",
  last_check: "LAST@CHECK",
  last_state_change: "LAST@STATECHANGE",
  output: "@OUTPUT",
  perfdata: "@PERFDATA",
  duration_sec: "@DURATIONSEC",
  downtime_depth: "@DOWNTIME",
  latency: "@LATENCY",
  execution_time: "@EXECUTIONTIME",
  check_command: "@CHECKCOMMAND",
};

const otherMacros: Readonly<Record<string, string>> = {
  "host.name": "HOSTNAME",
  "host.address": "HOSTADDRESS",
  "service.name": "SERVICEDESC",
  "user.name": "CONTACTNAME",
  "user.display_name": "CONTACTALIAS",
  "user.email": "CONTACTEMAIL",
  "user.pager": "CONTACTPAGER",
  "notification.type": "NOTIFICATIONTYPE",
  "notification.author": "NOTIFICATIONAUTHOR",
  "notification.comment": "NOTIFICATIONCOMMENT",
  "icinga.timet": "TIMET",
  "icinga.long_date_time": "LONGDATETIME",
  "icinga.short_date_time": "SHORTDATETIME",
  "icinga.date": "DATE",
  "icinga.time": "TIME",
  address: "HOSTADDRESS",
};

/** Finds the value of a macro by its name without dollar signs. */
function findMacro(name: string, source: IcingaMacroSource): IcingaMacroValue {
  const [head = "", ...rest] = name.split(".");
  const named = source.objects.find(({ as }) => as === head);
  if (named !== undefined && rest.length > 0) {
    const value = attributeAt(named.object, rest);
    if (value !== null) return { kind: "value", value };
  }
  if (rest.length === 0)
    for (const { object } of source.objects) {
      const value = shortValue(object, name);
      if (value !== null) return { kind: "value", value };
    }
  const ofCommand = valueAt(source.command, name.startsWith("command.vars.") ? rest.slice(1) : [head, ...rest]);
  if (ofCommand !== null) return { kind: "value", value: ofCommand };
  const macro = macroOf(head, rest);
  return macro === undefined ? { kind: "missing" } : { kind: "macro", name: macro };
}

function macroOf(head: string, rest: readonly string[]): string | undefined {
  const known = otherMacros[[head, ...rest].join(".")];
  if (known !== undefined) return known;
  if (head !== "host" && head !== "service") return undefined;
  const [first = "", second] = rest;
  if (first === "vars" && second !== undefined && rest.length === 2)
    return `_${head.toUpperCase()}${variableName(second)}`;
  return rest.length === 1 ? objectMacros[first]?.replace("@", head.toUpperCase()) : undefined;
}

/** Name of a variable as the document has it. */
export const variableName = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");

function shortValue(object: IcingaObject, name: string): IcingaValue {
  const own = customVars(object).get(name);
  if (own !== null) return own;
  if (object.type !== "Host") return null;
  if (name === "check_address")
    return object.attributes.get("address") ?? object.attributes.get("address6") ?? object.name;
  return ["address", "address6"].includes(name) ? object.attributes.get(name) : null;
}

/** Values of an object that a check or a notification reads from the configuration; others change at run time. */
function attributeAt(object: IcingaObject, [first = "", ...rest]: readonly string[]): IcingaValue {
  if (first === "vars") return valueAt(customVars(object), rest);
  if (rest.length > 0 || objectMacros[first]?.includes("STATE") || first === "check_command") return null;
  if (first === "name") return shortName(object);
  const value = object.attributes.get(first);
  return first === "display_name" && value === null ? shortName(object) : value;
}

function valueAt(dictionary: IcingaDictionary, path: readonly string[]): IcingaValue {
  let value: IcingaValue = dictionary;
  for (const key of path) value = value instanceof IcingaDictionary ? value.get(key) : null;
  return value;
}

const macro = /\$([^$\s]*)\$/g;
/** Maximum depth of macros whose values have macros. */
const maxDepth = 15;

/** Text with its macros replaced; those of the run time are written as in a document, with `$$` for a dollar sign. */
export type ResolvedIcingaText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly texts: readonly string[] }
  | { readonly kind: "missing"; readonly macro: string }
  | { readonly kind: "unknown"; readonly why: string };

/** Replaces the macros of a value. A value that is nothing but one macro may be an array. */
export function resolveMacros(value: IcingaValue, source: IcingaMacroSource, depth = 0): ResolvedIcingaText {
  if (value instanceof IcingaUnknown) return { kind: "unknown", why: value.why };
  if (value instanceof IcingaDictionary) return { kind: "unknown", why: "expected a string, got a dictionary" };
  if (depth > maxDepth) return { kind: "unknown", why: "its macros refer to themselves" };
  if (isIcingaList(value)) return resolveList(value, source, depth);
  const text = icingaText(value);
  const whole = /^\$([^$\s]+)\$$/.exec(text)?.[1];
  if (whole !== undefined) return resolveMacro(whole, source, depth);
  let result = "";
  let at = 0;
  for (const { 0: written, 1: name = "", index } of text.matchAll(macro)) {
    result += text.slice(at, index).replaceAll("$", "$$$$");
    at = index + written.length;
    const part: ResolvedIcingaText = name === "" ? { kind: "text", text: "$$" } : resolveMacro(name, source, depth);
    if (part.kind === "missing" || part.kind === "unknown") return part;
    result += part.kind === "text" ? part.text : part.texts.join(";");
  }
  return { kind: "text", text: result + text.slice(at).replaceAll("$", "$$$$") };
}

function resolveMacro(name: string, source: IcingaMacroSource, depth: number): ResolvedIcingaText {
  const found = findMacro(name, source);
  switch (found.kind) {
    case "missing":
      return { kind: "missing", macro: name };
    case "macro":
      return { kind: "text", text: `$${found.name}$` };
    case "value":
      return resolveMacros(found.value, source, depth + 1);
    default:
      return never(found);
  }
}

function resolveList(values: readonly IcingaValue[], source: IcingaMacroSource, depth: number): ResolvedIcingaText {
  const texts: string[] = [];
  for (const value of values) {
    const part = resolveMacros(value, source, depth + 1);
    if (part.kind === "missing" || part.kind === "unknown") return part;
    texts.push(...(part.kind === "text" ? [part.text] : part.texts));
  }
  return { kind: "list", texts };
}
