/** One action of a transcript, a line with `> `; `more` are the lines below it with `| `. */
export type TranscriptAction = { readonly text: string; readonly more: readonly string[] };

/** `head` is the title and the configuration, as written. */
export type Transcript = {
  readonly head: string;
  readonly config: string;
  readonly actions: readonly TranscriptAction[];
};

const rule = "----";

/** Parses a transcript into its configuration and actions; the recorded output between the actions is left out. */
export function parseTranscript(text: string): Transcript {
  const lines = text.split("\n");
  const at = lines.indexOf(rule);
  if (at < 1) throw new SyntaxError(`a transcript has a title, a configuration and a line ${rule}`);
  const actions: { text: string; more: string[] }[] = [];
  for (const line of lines.slice(at + 1)) {
    if (line.startsWith("> ")) actions.push({ text: line.slice(2).trim(), more: [] });
    else if (line.startsWith("| ") || line === "|") actions.at(-1)?.more.push(line.slice(2));
  }
  return { head: lines.slice(0, at).join("\n"), config: lines.slice(1, at).join("\n"), actions };
}

/** Formats a transcript with the output of a run. */
export const formatTranscript = (
  { head }: Transcript,
  outputs: readonly (readonly [action: TranscriptAction, lines: readonly string[]])[],
): string =>
  [
    head,
    rule,
    ...outputs.flatMap(([{ text, more }, lines]) => [
      `> ${text}`,
      ...more.map((line) => `| ${line}`.trimEnd()),
      ...lines,
    ]),
    "",
  ].join("\n");
