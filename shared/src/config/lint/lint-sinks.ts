import { isWebUrl } from "../../text/web-url.ts";
import { quoteText } from "../parser/parser.ts";
import type { SinkPlan } from "../plan.ts";
import { urlsOfSink } from "../sink-kinds/sink-kinds.ts";
import { addWarning, type LintContext } from "./lint-context.ts";

/** Warns of sinks and datasources that are valid but cannot work. URLs are not quoted: they may contain a password. */
export function lintSinks(l: LintContext): void {
  const { sinks, datasources } = l.plan;
  const tables = new Map<string, SinkPlan>();
  for (const sink of sinks) {
    const path = ["sinks", sink.name];
    const problem = "url" in sink ? urlsOfSink(sink.type).problemOf(sink.url) : "";
    if (problem !== "") addWarning(l, [...path, "url"], problem);
    if ("table" in sink) lintTable(sink, { l, tables });
  }
  for (const { name, type, url } of datasources)
    if (type !== "local" && !isWebUrl(url))
      addWarning(l, ["datasources", name, "url"], "is not an http or https URL: each query fails");
}

type TableSink = Extract<SinkPlan, { readonly table: string }>;

/** Warns when the table of an earlier sink has the data of the other input. */
function lintTable(sink: TableSink, { l, tables }: { l: LintContext; tables: Map<string, SinkPlan> }): void {
  const other = tables.getOrInsert(JSON.stringify([sink.url, sink.table]), sink);
  if (other.input === sink.input) return;
  const predicate = `writes ${sink.input} to ${quoteText(sink.table)}, the table of the ${other.input} of ${quoteText(other.name)}`;
  addWarning(l, ["sinks", sink.name], `${predicate}: name another table`, { at: "struct" });
}
