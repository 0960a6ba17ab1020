import { setFlagsFromString } from "node:v8";

/**
 * Compiles a regular expression of the sources for the engine of V8 that takes linear time, because others may take for
 * ever. Undefined for one that is not valid or needs to backtrack.
 */
export function linearExpression(pattern: string): RegExp | undefined {
  setFlagsFromString("--enable-experimental-regexp-engine");
  try {
    return new RegExp(pattern, "l");
  } catch {
    return undefined;
  }
}
