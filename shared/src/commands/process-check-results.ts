import type { ProcessCheckResultRequest } from "@realmwatch/proto/svc/v1/command_pb";
import type { Outcome } from "../model/outcome.ts";
import { malformed, type Refusal } from "../model/refusal.ts";
import { fail, ok, type Result } from "../model/result.ts";
import type { Status } from "../model/status.ts";
import { parsePluginOutput, withPerfdata } from "../text/plugin/plugin-output.ts";
import { statusCodec } from "../wire/fields/enums.ts";
import { durationFromProto, timestampFromProto } from "../wire/fields/time.ts";
import { declareCommand } from "./command-kind.ts";
import { type LineCommands, lineCommands, targetLines } from "./command-line.ts";
import type { CommandRealm, ResolutionContext } from "./command-realm.ts";
import { resolveObject } from "./resolve-target.ts";

/** One submitted result. `ref` names a host or service. */
export type PassiveResult = Omit<Outcome, "status"> & {
  readonly ref: string;
  readonly status: Exclude<Status, "pending">;
  /** Start of the check, Unix ms. */
  readonly executedAtMs: number;
  /** True when `executedAtMs` is the time of the acceptance, because the client gave none. */
  readonly isUntimed?: boolean;
  readonly executionMs: number | undefined;
  readonly checkSource: string;
};

type ProcessCheckResults = { readonly results: readonly PassiveResult[] };

/** Highest number of results in one call. */
export const maxBatchedResults = 10_000;

type Texts = Pick<PassiveResult, "output" | "longOutput" | "perfdata">;

/** Texts of a result. The part of `output` behind a `|` is performance data only when `perfdata` is empty. */
function textsOf({ output, longOutput, perfdata }: ProcessCheckResultRequest): Texts {
  if (perfdata !== "" || !output.includes("|")) return withPerfdata({ output, longOutput }, perfdata);
  const parsed = parsePluginOutput(output);
  return { ...parsed, longOutput: longOutput === "" ? parsed.longOutput : longOutput };
}

function parseResult(
  realm: CommandRealm,
  request: ProcessCheckResultRequest,
  { path, nowMs }: { path: string; nowMs: number },
): Result<PassiveResult, Refusal> {
  const status = statusCodec.fromProto(request.status);
  if (status === undefined) return malformed(`${path}status`, "is required");
  if (status === "pending") return malformed(`${path}status`, "a result cannot be pending");
  const executedAtMs = timestampFromProto(`${path}executedAt`, request.executedAt);
  if (!executedAtMs.ok) return executedAtMs;
  const executionMs = durationFromProto(`${path}executionTime`, request.executionTime);
  if (!executionMs.ok) return executionMs;
  if ((executionMs.value ?? 0) < 0) return malformed(`${path}executionTime`, "must not be negative");
  if (request.object?.ref.case === "process")
    return malformed(`${path}object`, "a process takes no results: its rule decides its status");
  const record = resolveObject(realm, `${path}object`, request.object);
  if (!record.ok) return record;
  return ok({
    ref: record.value.plan.ref,
    status,
    ...textsOf(request),
    executedAtMs: executedAtMs.value ?? nowMs,
    ...(executedAtMs.value === undefined && { isUntimed: true }),
    executionMs: executionMs.value,
    checkSource: request.checkSource,
  });
}

export const processCheckResultsCommand = declareCommand("processCheckResults", {
  kind: "process_check_results",
  quota: "results",
  /** Parses a batch, all or nothing: one invalid result refuses all of them. */
  parse({ results: requests }, { realm, nowMs }) {
    if (requests.length === 0) return malformed("results", "is empty");
    if (requests.length > maxBatchedResults)
      return malformed("results", `has ${requests.length} results, at most ${maxBatchedResults} are taken`);
    const results: PassiveResult[] = [];
    for (const [index, request] of requests.entries()) {
      const result = parseResult(realm, request, { path: `results[${index}].`, nowMs });
      if (!result.ok) return result;
      results.push(result.value);
    }
    return ok({ results });
  },
  effects: ({ results }: ProcessCheckResults) =>
    results.map(({ ref, checkSource, ...result }) => ({
      kind: "object" as const,
      ref,
      input: {
        kind: "result" as const,
        result: { ...result, latencyMs: undefined, source: checkSource, origin: "passive" as const },
      },
    })),
});

const serviceStatuses = ["ok", "warning", "critical", "unknown"] as const;
const hostStatuses = ["ok", "critical", "critical"] as const;

/** Result of a line. */
function resultOf(
  [ref = ""]: readonly string[],
  { code, output }: { readonly code: number; readonly output: string },
  { realm, nowMs }: ResolutionContext,
): Result<LineCommands<ProcessCheckResults>, string> {
  const record = realm.records.get(ref);
  const statuses = record?.plan.key.kind === "host" ? hostStatuses : serviceStatuses;
  const status = statuses[code];
  if (status === undefined) return fail(`return code ${code} is out of range 0-${statuses.length - 1}`);
  const executedAtMs = withinSecond(record?.state.last?.executedAtMs ?? 0, nowMs);
  const texts = parsePluginOutput(unescapeLines(output));
  return lineCommands([
    { results: [{ ref, status, ...texts, executedAtMs, executionMs: undefined, checkSource: "" }] },
  ]);
}

/** [XC6] Time of a result whose line has whole seconds: never before a result of the same second. */
const withinSecond = (knownAtMs: number, atMs: number): number =>
  knownAtMs > atMs && knownAtMs < atMs + 1000 ? knownAtMs : atMs;

/** Replaces the escapes of a line, `\n` and `\\`, by a line break and a backslash. */
const unescapeLines = (text: string): string =>
  text.replaceAll(/\\([n\\])/g, (_, escaped: string) => (escaped === "n" ? "\n" : "\\"));

/** A single result is a batch of one. */
export const processCheckResultCommand = declareCommand("processCheckResult", {
  kind: "process_check_results",
  quota: "results",
  effects: processCheckResultsCommand.effects,
  parse(request, { realm, nowMs }) {
    const result = parseResult(realm, request, { path: "", nowMs });
    return result.ok ? ok({ results: [result.value] }) : result;
  },
  lines: targetLines(
    { host: "PROCESS_HOST_CHECK_RESULT", service: "PROCESS_SERVICE_CHECK_RESULT" },
    ["code", "output"],
    resultOf,
  ),
});
