import type { DocumentPath } from "../../text/document-path.ts";
import { type CompileContext, reportProblem } from "./compile-context.ts";

export const hasControl = /\p{Cc}/u;
/** Name of a header (RFC 9110). */
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Checks the `headers` field at a path. Values may be secret: the problem does not quote them. */
export function checkHeaders(c: CompileContext, at: DocumentPath, headers: Readonly<Record<string, string>>): void {
  for (const [header, value] of Object.entries(headers)) {
    const path = [...at, header];
    if (!headerName.test(header)) reportProblem(c, path, "has a name that is not a header name");
    else if (hasControl.test(value)) reportProblem(c, path, "has a control character in its value");
  }
}
