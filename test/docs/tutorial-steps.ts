import { fencesOf } from "@realmwatch/shared/platform/testing/documented-lines.fixture";

/**
 * Step of a tutorial: a file that the reader saves, or commands that the reader runs.
 *
 * - ```` ```cue first.cue ````: a block of any language with a file name is saved under it.
 * - ```` ```sh ````: commands, which have to succeed. With `repeat` they are run again until their output matches, with
 *   `fails` they have to fail.
 * - ```` ```text ```` directly after commands: their output. `…` stands for any text of a line; a line `…` for any lines.
 */
export type TutorialStep =
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | {
      readonly kind: "commands";
      readonly line: number;
      readonly text: string;
      readonly mode: "once" | "repeat" | "fails";
      /** Output of the commands as the page shows it; undefined if the page shows no output. */
      readonly expected: string | undefined;
    };

/** Steps of a page in their order. */
export function readSteps(page: string): TutorialStep[] {
  const fences = fencesOf(page);
  return fences.flatMap(({ language, word, text, line }, at): TutorialStep[] => {
    if (/\.\w+$/.test(word)) return [{ kind: "file", name: word, text }];
    if (language !== "sh") return [];
    const next = fences[at + 1];
    const mode = word === "repeat" || word === "fails" ? word : "once";
    return [
      {
        kind: "commands",
        line,
        text,
        mode,
        expected: next?.language === "text" && next.word === "" ? next.text : undefined,
      },
    ];
  });
}

/** True for an output that is what a page shows. */
export function isShown(output: string, expected: string | undefined): boolean {
  if (expected === undefined) return true;
  const lines = expected.trimEnd().split("\n");
  const patterns = lines.map((line) =>
    line === "…" ? "(?:.*\\n)*?" : `${line.split("…").map(RegExp.escape).join(".*")}[ ]*\\n`,
  );
  return new RegExp(`^${patterns.join("")}$`).test(`${output.trimEnd()}\n`);
}
