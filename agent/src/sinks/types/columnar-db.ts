import type { OutboundResponse } from "../../platform/outbound/outbound-http.ts";
import { columnarDdl, formatColumnarRows } from "../encode/columnar-rows.ts";
import type { SinkSendResult, SinkWriter, SinkWriterType } from "../sink-type.ts";
import { classifySinkResponse, sinkRequestMs } from "../transport/sink-http-client.ts";

/** Inserts each batch into a table of ClickHouse as `JSONEachRow` over HTTP. */
export const columnarDbSinkType: SinkWriterType<"columnar_db"> = {
  timeoutMs: sinkRequestMs,
  alwaysResumes: true,
  open({ url, table, input }, { http, realm }): SinkWriter {
    let mayLackTable = true;

    /** Creates the table if it is missing. A refusal is ignored: the table may exist, and the insert shows whether it does. */
    async function createTable(signal: AbortSignal): Promise<SinkSendResult | undefined> {
      const target = queryUrl(url, {});
      const response = await http.send({ url: target, body: columnarDdl(input, table) }, signal);
      if (response.kind !== "response") return response;
      const failure = await checkColumns(target, signal);
      mayLackTable = failure !== undefined;
      return failure;
    }

    /**
     * Refuses a table that was made for the other input: columns that a table lacks are skipped, so that each row would
     * be inserted without its content. A table that cannot be described is taken as it is.
     */
    async function checkColumns(target: string, signal: AbortSignal): Promise<SinkSendResult | undefined> {
      const response = await http.send({ url: target, body: `DESCRIBE TABLE ${table} FORMAT TabSeparated` }, signal);
      if (response.kind !== "response") return response;
      const has = (column: string): boolean => new RegExp(`^${column}\t`, "m").test(response.body);
      if (response.status !== 200 || has(essentialColumn[input]) || !has("ts")) return undefined;
      const detail = `its table ${table} has no column ${essentialColumn[input]}: name another one for ${input}`;
      return { kind: "retry", reason: "setup", detail };
    }

    return {
      async send(batch, signal) {
        const rows = formatColumnarRows(batch, realm);
        if (rows === "") return { kind: "delivered" };
        const failure = mayLackTable ? await createTable(signal) : undefined;
        if (failure !== undefined) return failure;
        const target = queryUrl(url, {
          query: `INSERT INTO ${table} FORMAT JSONEachRow`,
          input_format_skip_unknown_fields: "1",
        });
        const response = await http.send({ url: target, body: rows }, signal);
        if (response.kind !== "response") return response;
        const code = exceptionCode(response);
        const result = classifySinkResponse(response, code === undefined ? "" : ` with exception ${code}`);
        if (code !== unknownTable) return result;
        mayLackTable = true;
        // Newer servers answer 404 here. The rows are kept, because the table can be created.
        return result.kind === "rejected" ? { ...result, kind: "retry", reason: "server" } : result;
      },
      async close() {},
    };
  },
};

/** Column without which a row says nothing, and which the table of the other input does not have. */
const essentialColumn = { metrics: "value", events: "type" } as const;
/** ClickHouse's code for a missing table. */
const unknownTable = 60;

/** Adds parameters to the sink's URL, which may have some of its own, such as `database`. Keeps a URL that cannot be parsed. */
function queryUrl(text: string, parameters: Readonly<Record<string, string>>): string {
  const url = URL.parse(text);
  if (url === null) return text;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Number of ClickHouse's exception; undefined when the response has none. */
function exceptionCode({ status, body, headers }: OutboundResponse): number | undefined {
  if (status < 400) return undefined;
  const found = headers["x-clickhouse-exception-code"] ?? /\bCode: (\d{1,5})\b/.exec(body)?.[1];
  return typeof found === "string" ? Number(found) : undefined;
}
