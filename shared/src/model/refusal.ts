import { type Diagnostic, formatDiagnostic } from "./diagnostic.ts";
import { never } from "./never.ts";
import { fail } from "./result.ts";

/** Reason for refusing a request, independent of the transport. `api/refusal-to-code.ts` maps each kind to a code. */
export type Refusal =
  /** A field is invalid. `field` is spelled as in the request. */
  | { readonly kind: "malformed"; readonly field: string; readonly why: string }
  /** A named object does not exist. `what`: such as `host "web1"`. */
  | { readonly kind: "missing"; readonly what: string }
  /** A selector matches no object. `field`: of the selector, as in the request. */
  | { readonly kind: "unmatched"; readonly field: string; readonly selector: string }
  /** The request is valid, but the state or configuration does not allow it. */
  | { readonly kind: "unconfigured"; readonly why: string }
  /** A limit is exceeded or a queue is full. */
  | { readonly kind: "exhausted"; readonly what: string }
  /** A required resource is unavailable: the disk, Redis, NATS, a realm. */
  | { readonly kind: "unavailable"; readonly what: string }
  /** The request was sent on and may have been executed: its answer did not arrive. */
  | { readonly kind: "unanswered"; readonly what: string }
  /** An internal error; the log has the cause. */
  | { readonly kind: "failed" }
  /** A document has errors. */
  | { readonly kind: "rejected_document"; readonly diagnostics: readonly Diagnostic[] };

/** Refuses a request for an invalid field. */
export const malformed = (field: string, why: string): { readonly ok: false; readonly error: Refusal } =>
  fail({ kind: "malformed", field, why });

/** Formats a refusal as a sentence for users. */
export function formatRefusal(refusal: Refusal): string {
  switch (refusal.kind) {
    case "malformed":
      return `${refusal.field}: ${refusal.why}`;
    case "missing":
      return `${refusal.what} does not exist`;
    case "unmatched":
      return `${refusal.field}: no object matches ${JSON.stringify(refusal.selector)}`;
    case "unconfigured":
      return refusal.why;
    case "exhausted":
    case "unavailable":
      return refusal.what;
    case "unanswered":
      return `${refusal.what}: the outcome is unknown`;
    case "failed":
      return "internal error";
    case "rejected_document":
      return refusal.diagnostics.map(formatDiagnostic).join("\n");
    default:
      return never(refusal);
  }
}
