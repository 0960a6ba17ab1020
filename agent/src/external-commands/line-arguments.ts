import { fail, ok, type Result } from "@realmwatch/shared/model/result";

/** The last second that an instant of the API can say. */
const lastSecond = 253_402_300_799;
/** Ten years, s: no downtime's duration is longer. */
const longestSeconds = 315_360_000;

function text(raw: string): Result<string, string> {
  return ok(raw);
}

function name(raw: string): Result<string, string> {
  return raw === "" ? fail("is empty") : ok(raw);
}

function integer(raw: string): Result<number, string> {
  return /^-?\d{1,9}$/.test(raw) ? ok(Number(raw)) : fail("is no whole number");
}

function flag(raw: string): Result<boolean, string> {
  const value = integer(raw);
  return value.ok ? ok(value.value !== 0) : value;
}

/** Whole seconds of Unix time, to ms. */
export function parseUnixSeconds(raw: string): Result<number, string> {
  const seconds = /^\d{1,12}$/.test(raw) ? Number(raw) : Number.NaN;
  return seconds <= lastSecond ? ok(seconds * 1000) : fail("is no Unix time in whole seconds");
}

function span(raw: string): Result<number, string> {
  const seconds = /^\d{1,9}$/.test(raw) ? Number(raw) : Number.NaN;
  return seconds <= longestSeconds ? ok(seconds * 1000) : fail("is no number of seconds, at most ten years");
}

/** What an argument of this name is read as. */
const kinds = {
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

export type ArgumentName = keyof typeof kinds;
type ValueOf<N extends ArgumentName> = Extract<ReturnType<(typeof kinds)[N]>, { ok: true }>["value"];
export type ParsedArguments<N extends ArgumentName> = { readonly [K in N]: ValueOf<K> };

/**
 * Reads what stands behind a command's name. The last argument goes on to the end of the line, semicolons and all.
 *
 * @param raw undefined where nothing followed the name
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
    const value = kinds[argument](parts[at] ?? "");
    if (!value.ok) return fail(`argument ${at + 1} (${argument}) ${value.error}`);
    values[argument] = value.value;
  }
  // Each name of the list has been given the value of its kind.
  return ok(values as ParsedArguments<N>);
}

/** The pieces between semicolons; the last of `most` keeps its own. */
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
