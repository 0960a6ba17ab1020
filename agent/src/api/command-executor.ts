import { createHash } from "node:crypto";
import { type DescMethodUnary, type Message, toBinary } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { auditedRpcOf } from "@realmwatch/shared/api/audit/audit-rpcs";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Command } from "@realmwatch/shared/model/command";
import { forwardedByHeader, idempotencyKeyHeader, parseIdempotencyKey } from "@realmwatch/shared/model/idempotency-key";
import type { Author } from "../engine/author.ts";
import type { CommandAnswer, KeptAnswer, KeyedCall } from "../journal/command-answer.ts";
import type { Journal } from "../journal/journal.ts";
import type { CommandIntake } from "./command-intake.ts";
import { KeyedCalls } from "./keyed-calls.ts";
import type { ParsedCommand } from "./parse-command.ts";

/** Call of CommandService. */
export type CommandRpc = {
  readonly method: DescMethodUnary;
  readonly request: Message;
  readonly context: HandlerContext;
  /** Parses the request against the present state of the realm. */
  parse(): ParsedCommand;
  /** Returns the number of objects that the target of a parsed command matched. */
  matched(command: Command): number;
};

export type CommandExecutorOptions = {
  readonly intake: Pick<CommandIntake, "submit">;
  readonly journal: Pick<Journal, "answerTo" | "keepAnswer">;
  readonly clock: Clock;
  /** Reason why this agent takes no forwarded commands, because the aggregator follows another one; empty for none. */
  readonly heldReason: () => string;
};

/** Executes calls of CommandService, a call with an idempotency key at most once. */
export class CommandExecutor {
  readonly #options: CommandExecutorOptions;
  readonly #keyedCalls: KeyedCalls;

  constructor(options: CommandExecutorOptions) {
    this.#options = options;
    this.#keyedCalls = new KeyedCalls(options.journal);
  }

  /** Answers a call. Throws the ConnectError of a refusal. */
  async execute(call: CommandRpc): Promise<Extract<CommandAnswer, { kind: "accepted" }>> {
    const { context } = call;
    const held = context.requestHeader.has(forwardedByHeader) ? this.#options.heldReason() : "";
    if (held !== "") throw toConnectError({ kind: "unavailable", what: held });
    const key = parseIdempotencyKey(context.requestHeader.get(idempotencyKeyHeader));
    if (!key.ok) throw toConnectError(key.error);
    const answer = key.value === undefined ? await this.#submit(call) : await this.#executeOnce(call, key.value);
    if (answer.kind === "refused") throw toConnectError(answer.refusal);
    return answer;
  }

  async #executeOnce(call: CommandRpc, key: string): Promise<CommandAnswer> {
    const { journal, clock } = this.#options;
    const identity = callerOf(call.context).identity?.name ?? "";
    const keyed: KeyedCall = { identity, key, requestHash: hashOf(call) };
    const quota = /^ProcessCheckResults?$/.test(call.method.name) ? "results" : "commands";
    const kept = (answer: CommandAnswer): KeptAnswer => ({ ...keyed, quota, atMs: clock.now(), answer });
    const { answer, isRepeated } = await this.#keyedCalls.answer(keyed, {
      execute: () => this.#submit(call, kept),
      keep: (refused) => journal.keepAnswer(kept(refused)),
    });
    const audited = auditedRpcOf(call.context);
    if (isRepeated && audited) audited.recorded = true;
    return answer;
  }

  async #submit(call: CommandRpc, kept?: (answer: CommandAnswer) => KeptAnswer): Promise<CommandAnswer> {
    // A call may have waited for another one with the same key until after its deadline.
    call.context.signal.throwIfAborted();
    const parsed = call.parse();
    if (!parsed.ok) return { kind: "refused", refusal: parsed.error };
    const answer: CommandAnswer = { kind: "accepted", ids: idsOf(parsed.value), matched: call.matched(parsed.value) };
    const audited = auditedRpcOf(call.context);
    const records = { audit: audited ? [audited.accepted()] : [], answer: kept?.(answer) };
    const accepted = await this.#options.intake.submit(parsed.value, authorOf(call), records);
    if (!accepted.ok) return { kind: "refused", refusal: accepted.error };
    if (audited) audited.recorded = true;
    return answer;
  }
}

/** Hash of the method and the request, the same for JSON and protobuf. */
const hashOf = ({ method, request }: CommandRpc): string =>
  createHash("sha256").update(`${method.name}\n`).update(toBinary(method.input, request)).digest("base64url");

/** Author to record: the authenticated identity, with the author that the request claims as "on behalf of". */
function authorOf({ request, context }: CommandRpc): Author {
  const { author } = request as { author?: unknown };
  const claimed = typeof author === "string" ? author : "";
  const { identity } = callerOf(context);
  if (identity === undefined) return { author: claimed, onBehalfOf: "" };
  return { author: identity.name, onBehalfOf: claimed === identity.name ? "" : claimed };
}

/** Ids of the downtimes or of the comment that a command creates. */
function idsOf(command: Command): readonly string[] {
  if (command.kind === "schedule_downtime") return command.downtimes.map(({ id }) => id);
  return command.kind === "add_comment" ? [command.id] : [];
}
