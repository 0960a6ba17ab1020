import { fail, ok, type Result } from "../../model/result.ts";

/** Parser of a flag's value. The error is the end of a sentence about the text. */
type Parse<T> = (text: string) => Result<T, string>;

export const anyText: Parse<string> = ok;

/** Empty means unset. */
export const optionalText: Parse<string | undefined> = (text) => ok(text === "" ? undefined : text);

/** Parser of one of some words; an empty one among them stands for a flag that is not given. */
export const oneOf =
  <const T extends string>(words: readonly T[]): Parse<T> =>
  (text) => {
    const word = words.find((w) => w === text);
    if (word !== undefined) return ok(word);
    const named = words.filter((w) => w !== "");
    return fail(named.length === 1 ? `is not ${named[0]}` : `is not one of ${named.join(", ")}`);
  };

/** Parser of an integer from `min` to `max`, both included. */
export const wholeNumber =
  ({ min, max }: { readonly min: number; readonly max: number }): Parse<number> =>
  (text) => {
    const value = Number(text);
    return /^\d{1,15}$/.test(text) && value >= min && value <= max
      ? ok(value)
      : fail(`is not a whole number from ${min} to ${max}`);
  };

type ListenAddress = { /** Empty means all addresses. */ readonly host: string; readonly port: number };

/** Parses `host:port`, `[v6]:port` or `:port`; port 0 selects a free port. */
export const listenAddress: Parse<ListenAddress> = (text) => {
  const parts = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(text);
  const port = Number(parts?.[3]);
  return parts !== null && port <= 65_535
    ? ok({ host: parts[1] ?? parts[2] ?? "", port })
    : fail("is not a listen address: use host:port, such as 127.0.0.1:8080 or [::]:8080");
};

/** Parses what `listenAddress` does; empty means unset. */
export const optionalListenAddress: Parse<ListenAddress | undefined> = (text) =>
  text === "" ? ok(undefined) : listenAddress(text);

/** Parses an absolute http or https URL and removes trailing slashes; empty means unset. */
export const optionalHttpUrl: Parse<string | undefined> = (text) => {
  if (text === "") return ok(undefined);
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol)
    ? ok(text.replace(/\/+$/, ""))
    : fail("is not an http or https URL");
};
