import type { CheckType } from "../check-kinds/check-kinds.ts";
import type { ContactKindName } from "../contact-kinds/contact-kinds.ts";
import type { DatasourceType } from "../datasource-kinds.ts";
import type { DocumentProblem } from "../problem.ts";
import { problemMessage } from "../problem-message.ts";
import type { ReceiverType } from "../receiver-kinds.ts";
import type { RealmDocument } from "../schema/configuration.ts";
import type { SinkType } from "../sink-kinds/sink-kinds.ts";

/**
 * Types that the demo profile accepts, by kind. They run no program and no code that a document names and write to no
 * file. A new type is refused until it is added here.
 */
export const demoAllows = {
  check: ["dns", "http", "icmp", "passive", "snmp", "tcp", "tls"] satisfies CheckType[],
  contact: ["chat_webhook", "email", "incident", "messenger", "pager", "webhook"] satisfies ContactKindName[],
  datasource: ["columnar_db", "local", "prometheus"] satisfies DatasourceType[],
  receiver: ["alertmanager"] satisfies ReceiverType[],
  sink: ["archive", "columnar_db", "http", "otlp", "remote_write"] satisfies SinkType[],
  // An event handler always runs a program or a module.
  handler: [],
};

/** URLs of archives that are not on the agent's machine. */
const remoteArchive = /^(?:https?|s3|s3\+https?):/i;

/** [PT10] Returns the problems of a document under the demo profile besides types that it does not accept. */
export function demoProblems({ commands, sinks }: Pick<RealmDocument, "commands" | "sinks">): DocumentProblem[] {
  const problem = (path: readonly string[], predicate: string): DocumentProblem => ({
    path,
    message: problemMessage(path, predicate),
    at: "value",
  });
  const local = [...sinks].flatMap(([name, sink]) =>
    sink?.type === "archive" && !remoteArchive.test(sink.url)
      ? [problem(["sinks", name, "url"], "must not be a file under the demo profile")]
      : [],
  );
  return commands.size > 0 ? [problem(["commands"], "must be empty under the demo profile"), ...local] : local;
}
