import type { ProcessCheckResultRequest } from "@realmwatch/proto/svc/v1/command_pb";
import type { Command, PassiveResult } from "@realmwatch/shared/model/command";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { parsePerfdata } from "@realmwatch/shared/text/plugin/parse-perfdata";
import { parsePluginOutput } from "@realmwatch/shared/text/plugin/plugin-output";
import { statusCodec } from "@realmwatch/shared/wire/fields/enums";
import { durationFromProto, timestampFromProto } from "@realmwatch/shared/wire/fields/time";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import { malformed, resolveObject } from "./resolve-target.ts";

/** Highest number of results in one call. */
const batchLimit = 10_000;

type Texts = Pick<PassiveResult, "output" | "longOutput" | "perfdata">;

/** Texts of a result. The part of `output` behind a `|` is performance data only when `perfdata` is empty. */
function textsOf({ output, longOutput, perfdata }: ProcessCheckResultRequest): Texts {
  if (perfdata !== "" || !output.includes("|")) return { output, longOutput, perfdata: parsePerfdata(perfdata) };
  const parsed = parsePluginOutput(output);
  return { ...parsed, longOutput: longOutput === "" ? parsed.longOutput : longOutput };
}

function parseResult(
  realm: RealmReader,
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
    executionMs: executionMs.value,
    checkSource: request.checkSource,
  });
}

export function parseCheckResult(
  realm: RealmReader,
  request: ProcessCheckResultRequest,
  nowMs: number,
): Result<Command, Refusal> {
  const result = parseResult(realm, request, { path: "", nowMs });
  return result.ok ? ok({ kind: "process_check_results", results: [result.value] }) : result;
}

/** Parses a batch, all or nothing: one invalid result refuses all of them. */
export function parseCheckResults(
  realm: RealmReader,
  requests: readonly ProcessCheckResultRequest[],
  nowMs: number,
): Result<Command, Refusal> {
  if (requests.length === 0) return malformed("results", "is empty");
  if (requests.length > batchLimit)
    return malformed("results", `has ${requests.length} results, at most ${batchLimit} are taken`);
  const results: PassiveResult[] = [];
  for (const [index, request] of requests.entries()) {
    const result = parseResult(realm, request, { path: `results[${index}].`, nowMs });
    if (!result.ok) return result;
    results.push(result.value);
  }
  return ok({ kind: "process_check_results", results });
}
