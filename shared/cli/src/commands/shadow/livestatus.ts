import { createConnection } from "node:net";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { RetentionBlock } from "@realmwatch/shared/text/retention-blocks";
import { answerTooLarge, readAnswerText } from "../../connection/answer-text.ts";
import { observeBlocks } from "./observe-blocks.ts";
import type { ObservedSystem } from "./observed-object.ts";

/** Maximum time of a query, ms. */
const timeoutMs = 30_000;

/** Columns of both tables, with their names in the status file. */
const commonColumns = {
  has_been_checked: "has_been_checked",
  check_type: "check_type",
  state: "current_state",
  state_type: "state_type",
  last_hard_state: "last_hard_state",
  current_attempt: "current_attempt",
  max_check_attempts: "max_attempts",
  last_check: "last_check",
  execution_time: "check_execution_time",
  plugin_output: "plugin_output",
  long_plugin_output: "long_plugin_output",
  perf_data: "performance_data",
  current_notification_number: "current_notification_number",
  last_notification: "last_notification",
  acknowledged: "problem_has_been_acknowledged",
  scheduled_downtime_depth: "scheduled_downtime_depth",
  is_flapping: "is_flapping",
  notifications_enabled: "notifications_enabled",
} as const;

const tables = [
  {
    table: "hosts",
    type: "hoststatus",
    columns: { name: "host_name", last_time_up: "last_time_up", ...commonColumns },
  },
  {
    table: "services",
    type: "servicestatus",
    columns: {
      ...{ host_name: "host_name", description: "service_description", last_time_ok: "last_time_ok" },
      ...commonColumns,
    },
  },
] as const;

/** Reads the Livestatus socket of Nagios, Naemon, Icinga or Checkmk. */
export function livestatus(path: string): ObservedSystem {
  return {
    name: path,
    async read() {
      const program = await queryLivestatus(path, "status", ["program_version"]);
      if (!program.ok) return program;
      // Versions of Icinga 2 are like r2.13.6-1, those of Nagios and Naemon like 4.4.6.
      const dialect = /^[rv]2\./.test(String(program.value[0]?.[0])) ? "icinga2" : "nagios";
      const blocks: RetentionBlock[] = [];
      for (const { table, type, columns } of tables) {
        const rows = await queryLivestatus(path, table, Object.keys(columns));
        if (!rows.ok) return rows;
        const names: readonly string[] = Object.values(columns);
        for (const [at, row] of rows.value.entries()) {
          const values = new Map(names.map((name, column) => [name, valueText(row[column])]));
          // Icinga 2 counts the attempts of a hard problem from 1 again, although it took all of them.
          if (dialect === "icinga2" && values.get("state_type") === "1")
            values.set("current_attempt", values.get("max_attempts") ?? "1");
          blocks.push({ type, source: { file: table, line: at + 1 }, values });
        }
      }
      return ok(observeBlocks(blocks, dialect));
    },
  };
}

/** Value as the status file has it: Icinga 2 answers some columns as booleans. */
function valueText(value: unknown): string {
  return typeof value === "boolean" ? String(Number(value)) : String(value ?? "");
}

type Row = readonly unknown[];

/** Rows of a table. Fails with a sentence that names the socket. */
async function queryLivestatus(
  path: string,
  table: string,
  columns: readonly string[],
): Promise<Result<Row[], string>> {
  const query = `GET ${table}\nColumns: ${columns.join(" ")}\nOutputFormat: json\nResponseHeader: fixed16\n\n`;
  try {
    const socket = createConnection({ path, signal: AbortSignal.timeout(timeoutMs) });
    socket.end(query);
    const answer = await readAnswerText(socket);
    if (answer === undefined) return fail(`${path} ${answerTooLarge}`);
    // The header is the status, padding and the length of the body, with a line break as its 16th character.
    const status = answer.slice(0, 3);
    if (!/^\d{3} +\d+\n$/.test(answer.slice(0, 16))) return fail(`${path}: the answer is not that of Livestatus`);
    if (status !== "200") return fail(`${path}: Livestatus refused GET ${table}: ${status} ${answer.slice(16).trim()}`);
    const rows: unknown = JSON.parse(answer.slice(16));
    return Array.isArray(rows) && rows.every((row) => Array.isArray(row) && row.length === columns.length)
      ? ok(rows)
      : fail(`${path}: the answer to GET ${table} has other columns`);
  } catch (error) {
    if (error instanceof SyntaxError) return fail(`${path}: the answer to GET ${table} is not valid JSON`);
    const { code, name } = error as NodeJS.ErrnoException;
    const isLate = code === "ABORT_ERR" || name === "AbortError";
    return fail(`${path} cannot be read: ${isLate ? "no answer within 30s" : (code ?? name)}`);
  }
}
