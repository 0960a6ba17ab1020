import { callerOf } from "@realmwatch/shared/api/access/caller";
import { auditedRpcOf } from "@realmwatch/shared/api/audit/audit-rpcs";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { annotationChange, type Command } from "@realmwatch/shared/commands/commands";
import type { Author } from "@realmwatch/shared/model/author";
import type { Clock } from "@realmwatch/shared/model/clock";
import { forwardedByHeader } from "@realmwatch/shared/model/idempotency-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";
import type { CommandAnswer, KeptAnswer, KeyedCall } from "../journal/command-answer.ts";
import type { Journal } from "../journal/journal.ts";
import type { CommandIntake } from "./command-intake.ts";
import { type KeyedCalls, keyedCallOf, type RepeatableRpc } from "./keyed-calls.ts";

export type ParsedCommand = Result<Command, Refusal>;

/** Call of CommandService. */
type CommandRpc = RepeatableRpc & {
  /** Quota that the stored answer counts for. */
  readonly quota: KeptAnswer["quota"];
  /** Parses the request against the present state of the realm. */
  parse(): ParsedCommand;
  /** Returns the number of objects that the target of a parsed command matched. */
  matched(command: Command): number;
};

export type CommandExecutorOptions = {
  readonly intake: Pick<CommandIntake, "submit">;
  readonly keyedCalls: KeyedCalls;
  readonly journal: Pick<Journal, "keepAnswer">;
  readonly clock: Clock;
  /** Reason why this agent takes no forwarded commands, because the aggregator follows another one; empty for none. */
  readonly heldReason: () => string;
};

/** Executes calls of CommandService, a call with an idempotency key at most once. */
export class CommandExecutor {
  readonly #options: CommandExecutorOptions;

  constructor(options: CommandExecutorOptions) {
    this.#options = options;
  }

  /** Answers a call. Throws the ConnectError of a refusal. */
  async execute(call: CommandRpc): Promise<Extract<CommandAnswer, { kind: "accepted" }>> {
    const { context } = call;
    const held = context.requestHeader.has(forwardedByHeader) ? this.#options.heldReason() : "";
    if (held !== "") throw toConnectError({ kind: "unavailable", what: held });
    const keyed = keyedCallOf(call);
    const answer = keyed === undefined ? await this.#submit(call) : await this.#executeOnce(call, keyed);
    if (answer.kind === "refused") throw toConnectError(answer.refusal);
    return answer;
  }

  async #executeOnce(call: CommandRpc, keyed: KeyedCall): Promise<CommandAnswer> {
    const { journal, clock, keyedCalls } = this.#options;
    const { quota } = call;
    const kept = (answer: CommandAnswer): KeptAnswer => ({ ...keyed, quota, atMs: clock.now(), answer });
    const { answer, isRepeated } = await keyedCalls.answer(keyed, {
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
  const annotations = annotationChange(command);
  return annotations?.change === "add" ? annotations.entries.map(({ id }) => id) : [];
}
