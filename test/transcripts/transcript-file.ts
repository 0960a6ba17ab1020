/** One line of a story: what somebody does or what happens in the world; `more` are the lines below it with `| `. */
export type TranscriptAction = { readonly text: string; readonly more: readonly string[] };

/** `head` is the title and the configuration, as written. */
export type Transcript = { readonly head: string; readonly config: string; readonly acts: readonly TranscriptAction[] };

const rule = "----";

/** Takes a story apart; what happened, the lines between its acts, is left out: that is for the run to say. */
export function parseTranscript(text: string): Transcript {
  const lines = text.split("\n");
  const at = lines.indexOf(rule);
  if (at < 1) throw new SyntaxError(`a story has a title, a configuration and a line ${rule}`);
  const acts: { text: string; more: string[] }[] = [];
  for (const line of lines.slice(at + 1)) {
    if (line.startsWith("> ")) acts.push({ text: line.slice(2).trim(), more: [] });
    else if (line.startsWith("| ") || line === "|") acts.at(-1)?.more.push(line.slice(2));
  }
  return { head: lines.slice(0, at).join("\n"), config: lines.slice(1, at).join("\n"), acts };
}

/** The story as it came out. */
export const formatTranscript = (
  { head }: Transcript,
  happened: readonly (readonly [act: TranscriptAction, lines: readonly string[]])[],
): string =>
  [
    head,
    rule,
    ...happened.flatMap(([{ text, more }, lines]) => [
      `> ${text}`,
      ...more.map((line) => `| ${line}`.trimEnd()),
      ...lines,
    ]),
    "",
  ].join("\n");
