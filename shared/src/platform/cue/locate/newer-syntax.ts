import type { SourcePosition } from "../source/source-position.ts";

/** Syntax of CUE that came after the built-in version, as it appears in a line of source. */
const newerSyntax: readonly RegExp[] = [
  /[\p{L}\p{N}_$")]!\s*:/u,
  /[\p{L}\p{N}_$\])}]\.\.\.\s*(?:[,}&|]|$)/u,
  /\b(?:matchN|matchIf|error|__reclose)\(/,
  /@(?:embed|extern)\(/,
  /\b(?:strings|list|struct|time|net|math|regexp|strconv|uuid|json|yaml)\.[A-Z]/,
  /^\s*try\b|\}\s*(?:otherwise|else|fallback)\b/,
];

/** Message about the import of a package that the built-in version does not have. */
const missingPackage = /^package ("[^"]+") not found/;

/** Message about the use of such a package; of several uses CUE may report these and not the import. */
const missingPackageUse = /("[^"]+")\.\w+ \(type _\|_\)/;

/** Path of a package in a directory to which newer versions have added some, such as `encoding/toml`. */
const newerPackage = /"(?:crypto|encoding|math|net|text)\/[^"]+"(?: not found|\.\w+ \(type _\|_\))/;

/** Messages that name what only a newer CUE knows, wherever it stands in the line. */
const newerMessages: readonly RegExp[] = [
  /\bcannot find package "[^"]*\./,
  newerPackage,
  /^illegal character U\+007E/,
  /\breference "self" not found/,
];

/**
 * True when an older CUE may have refused a document only because it does not know what the document uses: syntax,
 * functions, or modules. May be mistaken, because texts and comments of the line count too.
 *
 * @param line line of the source to which the error points
 */
export const mayNeedNewerCue = (message: string, line: string): boolean =>
  newerMessages.some((pattern) => pattern.test(message)) || newerSyntax.some((pattern) => pattern.test(line));

type Problem = { readonly message: string; readonly position: SourcePosition };

/**
 * Leaves out the errors that follow from syntax or packages that only a newer CUE knows: after such syntax the parser is
 * out of step with the rest of the file, and each use of a package that was not found fails.
 *
 * @param mayNeedNewer true for a problem that newer syntax may have caused
 */
export function withoutConsequences<P extends Problem>(
  problems: readonly P[],
  mayNeedNewer: (problem: P) => boolean,
): readonly P[] {
  const packages = problems.flatMap(({ message }) => missingPackage.exec(message)?.[1] ?? []);
  const newer = problems.filter((problem) => isParseError(problem) && mayNeedNewer(problem));
  const firstUses = new Map(
    problems
      .flatMap((problem) => missingPackageUse.exec(problem.message)?.[1] ?? [])
      .map((name) => [name, problems.find(({ message }) => message.includes(`${name}.`))]),
  );
  const follows = (problem: P): boolean =>
    packages.some((name) => problem.message.includes(`${name}.`)) ||
    [...firstUses].some(([name, first]) => problem !== first && problem.message.includes(`${name}.`)) ||
    (isParseError(problem) &&
      newer.some(
        ({ position: { file, line, column } }) =>
          file === problem.position.file &&
          (line === problem.position.line
            ? column < problem.position.column
            : line < problem.position.line && !mayNeedNewer(problem)),
      ));
  return problems.filter((problem) => !follows(problem));
}

const isParseError = ({ message }: Problem): boolean => /^(?:expected |missing |illegal character )/.test(message);
