/** Part of a request in which its sender keeps secrets. */
type SentRequest = { readonly url: URL | string; readonly headers: Readonly<Record<string, string>> };

/** Headers whose values are not secret, and occur in texts of errors. */
const plainHeaders = new Set(["accept", "content-encoding", "content-type", "user-agent"]);
/** Length from which a part of a header, a parameter or a user name counts as a secret, characters. */
const minPartLength = 8;
/** The same for a part of a path, which is more often a word. */
const minSegmentLength = 16;

/**
 * Returns a text of a receiver for a log or an error message: empty when it repeats a credential of the request, from a
 * header or from the URL, in clear, percent-encoded or in base64.
 */
export function withoutSentSecrets(text: string, request: SentRequest): string {
  if (text === "") return text;
  const found = text.toLowerCase();
  return secretsOf(request)
    .flatMap(formsOf)
    .some((form) => found.includes(form))
    ? ""
    : text;
}

function secretsOf({ url, headers }: SentRequest): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    plainHeaders.has(name.toLowerCase()) ? [] : value,
  );
  const parts = values.flatMap((value) => [value, ...value.split(/[\s,;="]+/)]);
  const basic = values.flatMap((value) => {
    const [, pair] = /^Basic\s+(\S+)$/i.exec(value) ?? [];
    return pair === undefined ? [] : Buffer.from(pair, "base64").toString("utf8").split(":");
  });
  const parsed = URL.parse(url);
  if (parsed === null) return [...parts, ...basic].filter(isLong);
  const { username, password, searchParams, pathname } = parsed;
  const inUrl = [username, password, ...[...searchParams.values()].filter((value) => !/\s/.test(value))];
  const segments = pathname.split("/").filter((segment) => segment.length >= minSegmentLength);
  return [...[...parts, ...basic, ...inUrl].filter(isLong), ...segments];
}

const isLong = (part: string): boolean => part.length >= minPartLength;

/** Forms in which an answer may repeat a text, in lower case. */
const formsOf = (secret: string): string[] =>
  [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  ].map((form) => form.toLowerCase());
