import { fail, ok, type Result } from "../model/result.ts";

/** Latest instant of the API, Unix seconds. */
const lastSecond = 253_402_300_799;
/** Longest duration of a downtime, s: ten years. */
const longestSeconds = 315_360_000;

function text(raw: string): Result<string, string> {
  return ok(raw);
}

function name(raw: string): Result<string, string> {
  return raw === "" ? fail("is empty") : ok(raw);
}

function integer(raw: string): Result<number, string> {
  return /^-?\d{1,9}$/.test(raw) ? ok(Number(raw)) : fail("is not a whole number");
}

function flag(raw: string): Result<boolean, string> {
  const value = integer(raw);
  return value.ok ? ok(value.value !== 0) : value;
}

/** Parses whole seconds of Unix time into ms. */
export function parseUnixSeconds(raw: string): Result<number, string> {
  const seconds = /^\d{1,12}$/.test(raw) ? Number(raw) : Number.NaN;
  return seconds <= lastSecond ? ok(seconds * 1000) : fail("is not a Unix time in whole seconds");
}

function span(raw: string): Result<number, string> {
  const seconds = /^\d{1,9}$/.test(raw) ? Number(raw) : Number.NaN;
  return seconds <= longestSeconds ? ok(seconds * 1000) : fail("is not a number of seconds of at most ten years");
}

/** Parsers of arguments by their names. */
const argumentParsers = {
  host: name,
  service: name,
  contact: name,
  id: name,
  author: text,
  comment: text,
  output: text,
  code: integer,
  sticky: integer,
  options: integer,
  notify: flag,
  persistent: flag,
  fixed: flag,
  trigger: text,
  start: parseUnixSeconds,
  end: parseUnixSeconds,
  expires: parseUnixSeconds,
  time: parseUnixSeconds,
  duration: span,
} as const;

export type ArgumentName = keyof typeof argumentParsers;
type ValueOf<N extends ArgumentName> = Extract<ReturnType<(typeof argumentParsers)[N]>, { ok: true }>["value"];
export type ParsedArguments<N extends ArgumentName> = { readonly [K in N]: ValueOf<K> };

/**
 * Parses the arguments of a command. The last argument extends to the end of the line, semicolons included.
 *
 * @param raw text after the name; undefined when the line ends with the name
 */
export function parseArguments<N extends ArgumentName>(
  names: readonly N[],
  raw: string | undefined,
): Result<ParsedArguments<N>, string> {
  const parts = splitArguments(raw, names.length);
  if (parts.length < names.length) return fail(`has ${parts.length} arguments and needs ${names.length}`);
  if (names.length === 0 && raw !== undefined) return fail("takes no arguments");
  const values: Partial<Record<ArgumentName, unknown>> = {};
  for (const [at, argument] of names.entries()) {
    const value = argumentParsers[argument](parts[at] ?? "");
    if (!value.ok) return fail(`argument ${at + 1} (${argument}) ${value.error}`);
    values[argument] = value.value;
  }
  // Each listed name has a value of its parser.
  return ok(values as ParsedArguments<N>);
}

/** Splits at semicolons into at most `most` parts; the last part keeps its semicolons. */
export function splitArguments(raw: string | undefined, most: number): readonly string[] {
  if (raw === undefined || most === 0) return [];
  const parts: string[] = [];
  let from = 0;
  while (parts.length < most - 1) {
    const at = raw.indexOf(";", from);
    if (at < 0) break;
    parts.push(raw.slice(from, at));
    from = at + 1;
  }
  return [...parts, raw.slice(from)];
}
