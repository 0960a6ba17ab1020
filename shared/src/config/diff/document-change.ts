/** Effect of an applied configuration document, for audit records. It contains no secret. */
export type DocumentChange = {
  /** Differences by kind: `+1 host, 2 checks changed; 1 contact changed`. */
  readonly summary: string;
  /** Numbers of objects. */
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Hash of the document that was in use before, `sha256:` and 64 hex digits. */
  readonly before: string;
  /** Hash of the document in use since. */
  readonly after: string;
};

/** Response header of ApplyConfig with a DocumentChange as JSON, by which an aggregator audits what it forwarded. */
export const documentChangeHeader = "x-realmwatch-document-change";

const hashSyntax = /^sha256:[0-9a-f]{64}$/;
const maxSummary = 512;

/** Parses the header of a realm; undefined without one and for an invalid one. */
export function parseDocumentChange(header: string | null | undefined): DocumentChange | undefined {
  try {
    const { summary, added, changed, removed, before, after } = JSON.parse(header ?? "") as Record<string, unknown>;
    const counts = [added, changed, removed];
    const hashes = [before, after];
    if (typeof summary !== "string" || !counts.every(Number.isSafeInteger)) return undefined;
    if (!hashes.every((hash) => typeof hash === "string" && hashSyntax.test(hash))) return undefined;
    return { ...({ added, changed, removed, before, after } as DocumentChange), summary: summary.slice(0, maxSummary) };
  } catch {
    return undefined;
  }
}
