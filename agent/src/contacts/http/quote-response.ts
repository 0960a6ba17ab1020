import { sanitiseLine } from "../format/sanitise-text.ts";

/** Longest quotation of a response, characters. */
const maxQuoted = 160;
/** Shortest part of a secret that counts as revealing it, characters. */
const minSecretPart = 6;

/**
 * Text of a response as the end of a sentence, `: "channel_not_found"`. Empty when there is no text, and when the text
 * contains any part of a secret, as an echo of the request would.
 */
export function quoteResponse(text: string, secrets: readonly string[]): string {
  const quoted = sanitiseLine(text, maxQuoted).trim();
  if (quoted === "" || /[<>]/.test(quoted)) return "";
  const plain = text.toLowerCase();
  return secrets.flatMap(revealingParts).some((part) => plain.includes(part)) ? "" : `: ${JSON.stringify(quoted)}`;
}

/** Parts and encodings of a secret, in lower case. */
function revealingParts(secret: string): string[] {
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  const parts = [secret, encodeURIComponent(secret), base64, ...secret.split(/[^A-Za-z0-9]+/)];
  return parts.filter((part) => part.length >= minSecretPart).map((part) => part.toLowerCase());
}

/** String at `path` of a JSON text; empty when there is none. */
export function jsonTextAt(json: string, path: readonly (string | number)[]): string {
  const found = jsonValueAt(json, path);
  return typeof found === "string" ? found : "";
}

/** Value at `path` of a JSON text; undefined when the path does not exist or the text is not JSON. */
export function jsonValueAt(json: string, path: readonly (string | number)[]): unknown {
  try {
    return path.reduce<unknown>(
      (at, step) => (at as Record<string | number, unknown> | undefined)?.[step],
      JSON.parse(json),
    );
  } catch {
    return undefined;
  }
}
