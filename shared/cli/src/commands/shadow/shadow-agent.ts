import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ProcessCheckResultRequestSchema } from "@realmwatch/proto/svc/v1/command_pb";
import { ObjectKind, StateType } from "@realmwatch/proto/svc/v1/common_pb";
import { HistoryType, type StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import type { Clock } from "@realmwatch/shared/model/clock";
import { sleep } from "@realmwatch/shared/model/clock";
import { keyOf } from "@realmwatch/shared/model/object-key";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { notificationKindCodec, statusCodec } from "@realmwatch/shared/wire/fields/enums";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { durationToProto, timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { readEntries } from "../../connection/read-entries.ts";
import type { ServerClient } from "../../connection/server-client.ts";
import type { CliFailure } from "../../output/cli-failure.ts";
import { atMsOf, refText } from "../../output/format-object.ts";
import type { ShadowNotification } from "./notification-pairs.ts";
import { hasAll, type ShadowedObject, type ShadowResult } from "./shadow-results.ts";

/** Limits of one request for results, below those of the API. */
const batch = { results: 1_000, characters: 4_000_000 } as const;
/** Time that submitted results have to show, ms. */
const settling = { maximumMs: 3_000, stepMs: 200 } as const;

/** Agent that receives the results of the other system. */
export class ShadowAgent {
  readonly #server: ServerClient;
  readonly #clock: Clock;
  /** Time from which decisions are read, Unix ms. */
  #sinceMs: number;
  /** Ids of the records of the latest time that were read. */
  #seen: ReadonlySet<string> = new Set();

  constructor(server: ServerClient, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
    this.#sinceMs = clock.now();
  }

  /** Hosts and services of the agent by reference. */
  async objects(): Promise<Result<ReadonlyMap<string, ShadowedObject>, CliFailure>> {
    const kinds = [ObjectKind.HOST, ObjectKind.SERVICE];
    const answer = await this.#server.query("listStatus", { kinds, omitRealms: true });
    if (!answer.ok) return answer;
    return ok(new Map(answer.value.rows.map(shadowedObject).map((object) => [object.ref, object])));
  }

  /** Parents of the agent's hosts by reference. */
  async parents(): Promise<Result<ReadonlyMap<string, readonly string[]>, CliFailure>> {
    const kinds = [ObjectKind.HOST];
    const read = await readEntries(
      this.#server.url,
      (pageToken) => this.#server.query("listObjects", { kinds, pageSize: 5_000, pageToken }),
      ({ rows }) => rows.filter(({ parents }) => parents.length > 0),
    );
    return read.ok ? ok(new Map(read.value.entries.map((row) => [refText(row.object), row.parents]))) : read;
  }

  /** Submits results in their order. */
  async submit(results: readonly ShadowResult[]): Promise<Result<undefined, CliFailure>> {
    for (const part of batchesOf(results)) {
      const answer = await this.#server.command("processCheckResults", { results: part.map(resultRequest) });
      if (!answer.ok) return answer;
    }
    return ok(undefined);
  }

  /**
   * Objects of the agent after results were submitted. Waits until all show, at most 3 s, because the agent drops a
   * result that is older than the recovery of its host.
   */
  async objectsAfter(
    results: readonly ShadowResult[],
  ): Promise<Result<ReadonlyMap<string, ShadowedObject>, CliFailure>> {
    const untilMs = this.#clock.monotonic() + settling.maximumMs;
    for (;;) {
      const objects = await this.objects();
      if (!objects.ok) return objects;
      const isSettled = hasAll(objects.value, results);
      if (isSettled || this.#clock.monotonic() >= untilMs) return objects;
      await sleep(this.#clock, settling.stepMs);
    }
  }

  /** Problem notifications that were decided since the last call, one for an object at a time, oldest first. */
  async notifications(): Promise<Result<readonly ShadowNotification[], CliFailure>> {
    const decided = new Map<string, ShadowNotification>();
    const since = timestampToProto(this.#sinceMs);
    let [latestMs, latestIds] = [this.#sinceMs, this.#seen];
    const types = [HistoryType.NOTIFICATION_QUEUED];
    const read = await readEntries(
      this.#server.url,
      (pageToken) => this.#server.query("listHistory", { types, since, pageSize: 1_000, pageToken }),
      ({ records }) => records,
    );
    if (!read.ok) return read;
    for (const { id, at, object, notificationKind } of read.value.entries) {
      const atMs = atMsOf(at) ?? 0;
      if (atMs > latestMs) [latestMs, latestIds] = [atMs, new Set([id])];
      else if (atMs === latestMs) latestIds = new Set([...latestIds, id]);
      const kind = notificationKindCodec.fromProto(notificationKind) ?? "";
      const ref = refText(object);
      if (problemKinds.has(kind) && !this.#seen.has(id))
        decided.set(`${ref} ${atMs}`, { ref, atMs, isStatusChange: kind === "STATUS_CHANGE" });
    }
    [this.#sinceMs, this.#seen] = [latestMs, latestIds];
    return ok([...decided.values()].sort((a, b) => a.atMs - b.atMs));
  }
}

/** Kinds that the other system has as one: it notifies of another problem status like of a problem. */
const problemKinds: ReadonlySet<string> = new Set(["PROBLEM", "STATUS_CHANGE"]);

const shadowedObject = (row: StatusRow): ShadowedObject => ({
  ref: refText(row.object),
  status: statusCodec.fromProto(row.status) ?? "pending",
  isHard: row.stateType === StateType.HARD,
  attempt: row.attempt,
  maxAttempts: row.maxAttempts,
  suppressedBy: row.suppressedBy,
  checkedAtMs: atMsOf(row.lastCheck),
});

function* batchesOf(results: readonly ShadowResult[]): Generator<readonly ShadowResult[]> {
  let part: ShadowResult[] = [];
  let characters = 0;
  for (const result of results) {
    const length = result.output.length + result.longOutput.length + result.perfdata.length;
    if (part.length >= batch.results || (part.length > 0 && characters + length > batch.characters)) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(result);
    characters += length;
  }
  if (part.length > 0) yield part;
}

const resultRequest = (result: ShadowResult): MessageInitShape<typeof ProcessCheckResultRequestSchema> => ({
  object: objectKeyToProto(keyOf(result.ref)),
  status: statusCodec.toProto(result.status),
  output: result.output,
  longOutput: result.longOutput,
  perfdata: result.perfdata,
  executedAt: timestampToProto(result.executedAtMs),
  executionTime: durationToProto(result.executionMs),
  checkSource: "shadow",
});
