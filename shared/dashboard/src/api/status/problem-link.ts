/** Problem that the link of a message is about, as far as the link says. */
export type ProblemLink = {
  /** Time of the message, Unix ms. */
  readonly atMs: number | undefined;
  /** End of the link's validity, Unix ms; undefined when it does not end. */
  readonly expiresMs: number | undefined;
};

const unknown: ProblemLink = { atMs: undefined, expiresMs: undefined };

/**
 * Parses the parameter `ack` of an address: a signed link, a Unix time in seconds, or any other text. The signature is
 * not verified here, because a link grants nothing: a wrong one only makes the dialog say less.
 */
export function parseProblemLink(text: string): ProblemLink {
  if (/^\d{9,11}$/.test(text)) return { ...unknown, atMs: Number(text) * 1_000 };
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(text) ?? [];
  if (payload === undefined) return unknown;
  try {
    const claims: unknown = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    if (typeof claims !== "object" || claims === null) return unknown;
    const { iat, exp } = claims as Readonly<Record<string, unknown>>;
    return { atMs: secondsToMs(iat), expiresMs: secondsToMs(exp) };
  } catch {
    return unknown;
  }
}

const secondsToMs = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && Math.abs(value) < 8.64e12 ? value * 1_000 : undefined;
