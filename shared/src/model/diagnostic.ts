/** One error in a document. `line` and `column` count from 1; `file` is the path as the user gave it. */
export type Diagnostic = {
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
};

/** Formats a diagnostic as one line: `file:line:column: message`. */
export const formatDiagnostic = (d: Diagnostic): string => `${d.file}:${d.line}:${d.column}: ${d.message}`;
