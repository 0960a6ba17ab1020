import { quoteText } from "../parser/parser.ts";
import { compileVariant } from "../parser/structs.ts";
import type { SinkPlan } from "../plan.ts";
import { type SinkDocument, sinkKinds } from "../sink-kinds/sink-kinds.ts";
import { checkHeaders, hasControl } from "./check-headers.ts";
import { type CompileContext, parseSelectorAt, reportProblem } from "./compile-context.ts";

/** Files that the agent itself keeps in the data directory, and beginnings of their names. */
const ownFiles = /^(?:\.|(?:journal|cursors|audit|metrics)\.db|sinks$|instance|points|alerts)/;

export function compileSinks(c: CompileContext): readonly SinkPlan[] {
  const cursors = new Map<string, string>();
  return [...c.document.sinks].flatMap(([name, sink]) => {
    if (sink === undefined) return [];
    if (sink.selector !== "") parseSelectorAt(c, sink.selector, { path: ["sinks", name, "selector"], current: false });
    if ("cursor" in sink && sink.cursor !== "") checkCursor(c, { name, cursor: sink.cursor, cursors });
    if ("headers" in sink) checkHeaders(c, ["sinks", name, "headers"], sink.headers);
    if (sink.type === "exec") checkCommand(c, name, sink.command);
    if (sink.type === "file" && sink.path.includes("\0"))
      reportProblem(c, ["sinks", name, "path"], "contains a NUL character");
    return [sinkPlan(name, sink)];
  });
}

function sinkPlan(name: string, sink: SinkDocument): SinkPlan {
  const { input, selector, batch_size: batchSize, flush_interval: flushIntervalMs } = sink;
  return { name, input, selector, batchSize, flushIntervalMs, ...compileVariant(sinkKinds, sink) };
}

type GivenCursor = { readonly name: string; readonly cursor: string; readonly cursors: Map<string, string> };

/** Checks the name of a file in the data directory, which no other sink may use. */
function checkCursor(c: CompileContext, { name, cursor, cursors }: GivenCursor): void {
  const path = ["sinks", name, "cursor"];
  const other = cursors.get(cursor);
  if (/[/\\]/.test(cursor)) reportProblem(c, path, "must be a file name without a separator");
  else if (cursor.includes("..")) reportProblem(c, path, 'must not contain ".."');
  else if (hasControl.test(cursor) || cursor.length > 200)
    reportProblem(c, path, "must have at most 200 characters and no control character");
  else if (ownFiles.test(cursor)) reportProblem(c, path, "is a name that the agent uses itself");
  else if (other !== undefined) reportProblem(c, path, `is the cursor of the sink ${quoteText(other)} already`);
  else cursors.set(cursor, name);
}

function checkCommand(c: CompileContext, name: string, command: readonly string[]): void {
  for (const [at, word] of command.entries())
    if (word.includes("\0")) reportProblem(c, ["sinks", name, "command", at], "contains a NUL character");
  if (command[0] === "") reportProblem(c, ["sinks", name, "command", 0], "is empty: it names the program");
}
