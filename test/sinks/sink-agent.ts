import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import type { TestProgram } from "../run/processes.ts";
import { sendCommand } from "../run/rows.ts";
import { jobLine } from "../run/small-realm.ts";

/** Options of `until` for receivers that start slowly. */
export const sinkWait = { withinMs: 60_000, everyMs: 100 };

/** Values in lines of JSON, each once, in ascending order. */
export const valuesIn = (text: string): number[] => distinct(linesOf(text).map(({ value }) => Number(value)));

/** Objects in lines of JSON. */
export const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Values, each once, in ascending order. */
export const distinct = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);

/** Whole numbers from 1 to `last`. */
export const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

/** Content of a file; empty when it does not exist. */
export const readIfThere = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");

/** Submits a result with one value of performance data, in ms. */
export async function submitValue(agent: TestProgram, value: number): Promise<void> {
  const answer = await sendCommand(agent.base, "ProcessCheckResult", {
    object: { service: { host: "web1", name: "job" } },
    status: value % 2 === 0 ? "STATUS_OK" : "STATUS_WARNING",
    output: `result ${value}`,
    perfdata: `n=${value}ms;5;;0;100`,
  });
  assert.ok(answer.ok, answer.message);
}

/** Document with the service `web1!job` of the results, the host `other` and these sinks. */
export const sinksDocument = (sinks: string): string => `
hosts: web1: {
	address: "127.0.0.1"
	check: {type: "passive", freshness_threshold: "1h", flap: {}}
	services: {${jobLine}}
}
hosts: other: {address: "127.0.0.1", check: {type: "passive", freshness_threshold: "1h", flap: {}}}
sinks: [string]: {flush_interval: "200ms"}
sinks: ${sinks}
`;
