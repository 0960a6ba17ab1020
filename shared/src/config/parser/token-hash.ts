import type { Parser } from "./parser.ts";
import { refineParser, string } from "./scalars.ts";

/** Stands for an invalid hash: the field is set, but has no usable value. */
export const invalidTokenHash = "";

const prefix = "sha256:";

/** Parser of the hash of a bearer token. No problem quotes the value, which may be a misplaced token. */
export const tokenHashParser: Parser<string> = refineParser(string, {
  convert(value, complainAbout) {
    if (/^sha256:[0-9a-f]{64}$/.test(value)) return value;
    return complainAbout("is not sha256: and 64 lower-case hex digits; the sub-command new-token creates one");
  },
  fallback: invalidTokenHash,
  constraint: "`sha256:` and 64 lower-case hex digits",
});

/** Digest of a parsed hash: SHA-256 of the token in lower-case hex. */
export const digestOfTokenHash = (hash: string): string => hash.slice(prefix.length);
