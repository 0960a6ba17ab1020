import type { DocumentPath } from "../../../text/document-path.ts";

/** Position in a report of the `cue` command. Line and column count from 1, columns in bytes. */
export type ReportedPosition = { readonly file: string; readonly line: number; readonly byteColumn: number };

/** One error of a report of the `cue` command. */
export type CueError = {
  readonly message: string;
  /** Path of the value that the message names; undefined when it names none. */
  readonly path: DocumentPath | undefined;
  readonly positions: readonly ReportedPosition[];
};

const positionPattern = /^ {4}(?:\.\/)?(.+):(\d+):(\d+)$/;
const disjunctionPattern = /^(.*: )?\d+ errors in empty disjunction:$/;

/** Parses the output of `cue vet -E`. The alternatives of a failed disjunction become one error. */
export function parseVetReport(text: string): CueError[] {
  const errors: CueError[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as string;
    if (line.trim() === "" || positionPattern.test(line)) continue;
    if (disjunctionPattern.test(line)) {
      const count = Number(/(\d+) errors in/.exec(line)?.[1]);
      const alternatives = [];
      while (alternatives.length < count) {
        const next = readError(lines, at + 1);
        if (next === undefined) break;
        alternatives.push(next.error);
        at = next.last;
      }
      if (alternatives.length > 0) errors.push(mergeAlternatives(alternatives));
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
  if (head === undefined || head.trim() === "" || positionPattern.test(head)) return undefined;
  const positions: ReportedPosition[] = [];
  let last = from;
  for (
    let match = positionPattern.exec(lines[last + 1] ?? "");
    match !== null;
    match = positionPattern.exec(lines[last + 1] ?? "")
  ) {
    positions.push({ file: match[1] as string, line: Number(match[2]), byteColumn: Number(match[3]) });
    last += 1;
  }
  const message = withFieldInReason(head.replace(/:$/, ""));
  return { error: { message, path: pathOfMessage(message), positions }, last };
}

/** Writes `a.b: field not allowed`, as newer versions report it, as `a: field b not allowed`. */
function withFieldInReason(message: string): string {
  const [, path, field] = /^(.+)\.("(?:[^"\\]|\\.)*"|[^."]+): field not allowed$/.exec(message) ?? [];
  return path === undefined ? message : `${path}: field ${field} not allowed`;
}

function mergeAlternatives(alternatives: readonly CueError[]): CueError {
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

/** Path at the start of a message and the text it occupies, `": "` included; both undefined without a path. */
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

function pathOfMessage(message: string): DocumentPath | undefined {
  const [path, start] = splitPath(message);
  if (path === undefined || start === undefined) return undefined;
  const missing = /^field ("(?:[^"\\]|\\.)*"|\S+) not allowed$/.exec(message.slice(start.length))?.[1];
  if (missing !== undefined) return [...path, missing.startsWith('"') ? unquote(missing) : missing];
  return path.every((part) => part === "import failed") ? undefined : path;
}
