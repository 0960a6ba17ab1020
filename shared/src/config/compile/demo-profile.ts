import type { LocalUse } from "../parser/parser.ts";
import type { DocumentProblem } from "../problem.ts";
import { documentProblem } from "../problem-message.ts";
import type { RealmDocument } from "../schema/configuration.ts";
import { urlsOfSink } from "../sink-kinds/sink-kinds.ts";

/** Uses of the types that the demo profile accepts. */
export const demoUses: readonly LocalUse[] = ["none"];

/** [PT10] Returns the problems of a document under the demo profile besides types that it does not accept. */
export function demoProblems({ commands, sinks }: Pick<RealmDocument, "commands" | "sinks">): DocumentProblem[] {
  const local = [...sinks].flatMap(([name, sink]) =>
    sink !== undefined && "url" in sink && urlsOfSink(sink.type).isLocal(sink.url)
      ? [documentProblem(["sinks", name, "url"], "must not be a file under the demo profile")]
      : [],
  );
  return commands.size > 0 ? [documentProblem(["commands"], "must be empty under the demo profile"), ...local] : local;
}
