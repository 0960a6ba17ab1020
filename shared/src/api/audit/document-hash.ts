import { createHash } from "node:crypto";

/** Hash of a configuration document's bytes, as `sha256sum` prints it: `sha256:` and 64 hex digits. */
export const documentHash = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;
