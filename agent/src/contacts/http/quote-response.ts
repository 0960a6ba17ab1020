import { sanitiseLine } from "../format/sanitise-text.ts";

/** Of a receiver's words that are repeated, characters. */
const maxQuoted = 160;
/** Parts of a secret that are shorter give nothing away. */
const minTelling = 6;

/**
 * A receiver's own words as the end of a sentence, `: "channel_not_found"`; empty where there are none, or where they
 * repeat any part of what must stay secret, as an echo of the request would.
 */
export function quoteResponse(text: string, secrets: readonly string[]): string {
  const said = sanitiseLine(text, maxQuoted).trim();
  if (said === "" || /[<>]/.test(said)) return "";
  const plain = text.toLowerCase();
  return secrets.flatMap(telling).some((part) => plain.includes(part)) ? "" : `: ${JSON.stringify(said)}`;
}

/** The secret as it may be written, and its parts. */
function telling(secret: string): string[] {
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  const parts = [secret, encodeURIComponent(secret), base64, ...secret.split(/[^A-Za-z0-9]+/)];
  return parts.filter((part) => part.length >= minTelling).map((part) => part.toLowerCase());
}

/** What is at `path` of JSON text, where it is a text. */
export function jsonTextAt(json: string, path: readonly (string | number)[]): string {
  const found = jsonValueAt(json, path);
  return typeof found === "string" ? found : "";
}

/** What is at `path` of JSON text; `undefined` where it is no JSON or there is nothing. */
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
