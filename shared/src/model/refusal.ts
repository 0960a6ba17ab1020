import type { Diagnostic } from "./diagnostic.ts";

/** Why a request was refused, in no transport's words. `api/refusal-to-code.ts` gives each kind its code. */
export type Refusal =
  /** A field is out of its range. `field` is the request's own spelling. */
  | { readonly kind: "malformed"; readonly field: string; readonly why: string }
  /** What was named does not exist. `what` reads like `host "web1"`. */
  | { readonly kind: "missing"; readonly what: string }
  /** Well-formed, but the state or configuration does not allow it. */
  | { readonly kind: "unconfigured"; readonly why: string }
  /** A limit or a full queue. */
  | { readonly kind: "exhausted"; readonly what: string }
  /** Something needed is away: the disk, Redis, NATS, a realm. */
  | { readonly kind: "unavailable"; readonly what: string }
  /** A failure of ours that the caller can do nothing about; what it was is in the log. */
  | { readonly kind: "failed" }
  /** A document with problems. */
  | { readonly kind: "rejected_document"; readonly diagnostics: readonly Diagnostic[] };

/** The refusal as a sentence for people. */
export function formatRefusal(refusal: Refusal): string {
  switch (refusal.kind) {
    case "malformed":
      return `${refusal.field}: ${refusal.why}`;
    case "missing":
      return `${refusal.what} does not exist`;
    case "unconfigured":
      return refusal.why;
    case "exhausted":
      return refusal.what;
    case "unavailable":
      return refusal.what;
    case "failed":
      return "internal error";
    case "rejected_document":
      return refusal.diagnostics.map((d) => `${d.file}:${d.line}:${d.column}: ${d.message}`).join("\n");
  }
}
