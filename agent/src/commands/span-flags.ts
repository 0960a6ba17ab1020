import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { parseDuration } from "@realmwatch/shared/text/duration";
import { parseInstant } from "@realmwatch/shared/text/instant";

/** Beginning of a time span: an instant, or a duration before now. */
type SinceArgument =
  | { readonly kind: "instant"; readonly atMs: number }
  | { readonly kind: "ago"; readonly ms: number };

const dayMs = 86_400_000;

/** Parses `7d`, `36h` or an RFC 3339 instant. */
export function parseSince(text: string): Result<SinceArgument, string> {
  const days = /^(\d{1,4})d$/.exec(text);
  if (days !== null) return ok({ kind: "ago", ms: Number(days[1]) * dayMs });
  const span = parseDuration(text);
  if (span.ok) return ok({ kind: "ago", ms: span.value });
  const instant = parseInstant(text);
  return instant.ok
    ? ok({ kind: "instant", atMs: instant.value })
    : fail("is neither a span such as 7d or 36h nor an RFC 3339 instant");
}

export const resolveSinceMs = (since: SinceArgument, nowMs: number): number =>
  since.kind === "ago" ? nowMs - since.ms : since.atMs;
