import { type CueFile, lineIndex, type SourcePosition } from "./source-position.ts";
import { tokensOf } from "./tokens.ts";

/** Packages that describe programs, files and requests for `cue cmd`. A document has no use for them. */
const deniedPackage = /^tool\//;

/**
 * Finds the imports of CUE's packages for tasks, such as `tool/exec`. Evaluation runs no task, but a document that
 * imports them expects otherwise.
 */
export function deniedImports(
  files: readonly CueFile[],
): readonly { readonly message: string; readonly position: SourcePosition }[] {
  return files.flatMap(({ text }, file) =>
    text.includes("tool/")
      ? importedPackages(text)
          .filter(({ name }) => deniedPackage.test(name))
          .map(({ name, at }) => ({
            message: `import ${JSON.stringify(name)}: a configuration runs no tasks`,
            position: { file, ...lineIndex(text)(at) },
          }))
      : [],
  );
}

/** Packages in the import clauses of a file, with the offset of each. */
function importedPackages(text: string): { readonly name: string; readonly at: number }[] {
  const found: { name: string; at: number }[] = [];
  let clause: "none" | "single" | "list" = "none";
  for (const [index, token] of tokensOf(text).entries()) {
    if (clause === "none") {
      const isClause = token.kind === "word" && token.text === "import";
      if (isClause) clause = "single";
      // Imports precede all fields: the first one ends the search.
      else if (token.kind === "mark" && token.text === ":" && index > 0) return found;
    } else if (token.text === "(") clause = "list";
    else if (token.text === ")") clause = "none";
    else if (token.kind === "string") {
      found.push({ name: token.value ?? "", at: token.at });
      if (clause === "single") clause = "none";
    }
  }
  return found;
}
