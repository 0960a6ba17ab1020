/** Syntax of CUE that came after the built-in version, as it appears in a line of source. */
const newerSyntax: readonly RegExp[] = [
  /[\p{L}\p{N}_$"]!\s*:/u,
  /\b(?:matchN|matchIf|error)\(/,
  /@(?:embed|extern)\(/,
  /\b(?:strings|list|struct|time|net|math|regexp|strconv|uuid|json|yaml)\.[A-Z]/,
  /^\s*try\b/,
];

/**
 * True when an older CUE may have refused a document only because it does not know what the document uses: syntax,
 * functions, or modules. May be mistaken, because texts and comments of the line count too.
 *
 * @param line line of the source to which the error points
 */
export const mayNeedNewerCue = (message: string, line: string): boolean =>
  /\bcannot find package "[^"]*\./.test(message) || newerSyntax.some((pattern) => pattern.test(line));
