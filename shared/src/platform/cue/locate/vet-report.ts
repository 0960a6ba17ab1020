import type { DocumentPath } from "../../../text/document-path.ts";

/** A line and column of a file as CUE counts: from 1, columns in bytes. */
export type ReportedPosition = { readonly file: string; readonly line: number; readonly byteColumn: number };

/** One error as the `cue` command prints it. */
export type CueError = {
  readonly message: string;
  /** Where in the document's value, as far as the message says. */
  readonly path: DocumentPath | undefined;
  readonly positions: readonly ReportedPosition[];
};

const placeLine = /^ {4}(?:\.\/)?(.+):(\d+):(\d+)$/;
const disjunction = /^(.*: )?\d+ errors in empty disjunction:$/;

/** Reads what `cue vet -E` printed. The alternatives of a failed disjunction become one error. */
export function parseVetReport(text: string): CueError[] {
  const errors: CueError[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as string;
    if (line.trim() === "" || placeLine.test(line)) continue;
    const isDisjunction = disjunction.exec(line);
    if (isDisjunction !== null) {
      const count = Number(/(\d+) errors in/.exec(line)?.[1]);
      const alternatives = [];
      while (alternatives.length < count) {
        const next = readError(lines, at + 1);
        if (next === undefined) break;
        alternatives.push(next.error);
        at = next.last;
      }
      if (alternatives.length > 0) errors.push(merged(alternatives));
      continue;
    }
    const read = readError(lines, at);
    if (read === undefined) continue;
    errors.push(read.error);
    at = read.last;
  }
  return errors;
}

function readError(lines: readonly string[], from: number): { error: CueError; last: number } | undefined {
  const head = lines[from];
  if (head === undefined || head.trim() === "" || placeLine.test(head)) return undefined;
  const places: ReportedPosition[] = [];
  let last = from;
  for (
    let match = placeLine.exec(lines[last + 1] ?? "");
    match !== null;
    match = placeLine.exec(lines[last + 1] ?? "")
  ) {
    places.push({ file: match[1] as string, line: Number(match[2]), byteColumn: Number(match[3]) });
    last += 1;
  }
  const message = head.replace(/:$/, "");
  return { error: { message, path: pathIn(message), positions }, last };
}

function merged(alternatives: readonly CueError[]): CueError {
  const [first] = alternatives as [CueError];
  const [, start = ""] = splitPath(first.message);
  const reasons = new Set(alternatives.map((error) => error.message.slice(start.length)));
  return {
    message: `${start}no alternative fits: ${[...reasons].join("; ")}`,
    path: first.path,
    positions: alternatives.flatMap((error) => error.positions),
  };
}

const segment = /(?:"(?:[^"\\]|\\.)*"|[\p{L}\p{N}_$#-]+)/uy;

/** The path in front of a message and the text it took, `": "` included; undefined where there is none. */
function splitPath(message: string): [path: DocumentPath | undefined, start: string | undefined] {
  const path: (string | number)[] = [];
  let at = 0;
  for (;;) {
    segment.lastIndex = at;
    const found = segment.exec(message)?.[0];
    if (found === undefined) return [undefined, undefined];
    at += found.length;
    if (found.startsWith('"')) path.push(unquote(found));
    else path.push(/^\d+$/.test(found) ? Number(found) : found);
    if (message.startsWith(": ", at)) return [path, message.slice(0, at + 2)];
    if (message[at] !== ".") return [undefined, undefined];
    at += 1;
  }
}

function unquote(text: string): string {
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(1, -1);
  }
}

function pathIn(message: string): DocumentPath | undefined {
  const [path, start] = splitPath(message);
  if (path === undefined || start === undefined) return undefined;
  const missing = /^field ("(?:[^"\\]|\\.)*"|\S+) not allowed$/.exec(message.slice(start.length))?.[1];
  if (missing !== undefined) return [...path, missing.startsWith('"') ? unquote(missing) : missing];
  return path.every((part) => part === "import failed") ? undefined : path;
}
