import type { AnyCommandKind } from "@realmwatch/shared/commands/command-kind";
import { type Command, commandKinds, createdIds } from "@realmwatch/shared/commands/commands";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { ok, type Result } from "@realmwatch/shared/model/result";
import type { CommandAnswer, KeptAnswer, KeyedCall } from "../journal/command-answer.ts";
import type { Journal } from "../journal/journal.ts";
import type { CallOutcome, CommandCall } from "../port/port-contract.ts";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import type { CommandIntake } from "./command-intake.ts";
import type { KeyedCalls } from "./keyed-calls.ts";

export type CommandExecutorOptions = {
  readonly realm: RealmReader;
  readonly intake: Pick<CommandIntake, "submit">;
  readonly keyedCalls: KeyedCalls;
  readonly journal: Pick<Journal, "keepAnswer">;
  readonly clock: Clock;
  readonly mintId: () => string;
  /** Reason why this agent takes no forwarded commands, because the aggregator follows another one; empty for none. */
  readonly heldReason: () => string;
  /** Resolves when the effects of an accepted command can be read. */
  readonly whenReadable: (seq: number) => Promise<void>;
};

/** Call in progress. `endsAtMs`: time after which it is not begun, on the monotonic clock. */
type RunningCall = { readonly call: CommandCall; readonly kind: AnyCommandKind; readonly endsAtMs: number };
/** Answer to a call that was executed, and whether its audit record is stored. */
type Executed = { readonly answer: CommandAnswer; readonly isAudited: boolean };

/** Executes calls of CommandService, a call with an idempotency key at most once. */
export class CommandExecutor {
  readonly #options: CommandExecutorOptions;

  constructor(options: CommandExecutorOptions) {
    this.#options = options;
  }

  /** Answers a call. A success means that the command is on disk and, unless the engine is held up, applied. */
  async execute(call: CommandCall): Promise<CallOutcome<CommandAnswer>> {
    const held = call.isForwarded ? this.#options.heldReason() : "";
    if (held !== "")
      return answered({ answer: { kind: "refused", refusal: { kind: "unavailable", what: held } }, isAudited: false });
    const endsAtMs = this.#options.clock.monotonic() + call.timeoutMs;
    const running = { call, kind: commandKinds[call.method] as never as AnyCommandKind, endsAtMs };
    if (call.key !== undefined) return this.#executeOnce(running, call.key);
    const executed = await this.#submit(running);
    return executed === undefined ? { kind: "expired" } : answered(executed);
  }

  async #executeOnce(running: RunningCall, key: KeyedCall): Promise<CallOutcome<CommandAnswer>> {
    const { journal, clock, keyedCalls } = this.#options;
    const quota = running.kind.quota ?? "commands";
    const kept = (answer: CommandAnswer): KeptAnswer => ({ ...key, quota, atMs: clock.now(), answer });
    let executed: Executed | undefined;
    let isExpired = false;
    const { answer, isRepeated } = await keyedCalls.answer(key, {
      execute: async () => {
        executed = await this.#submit(running, kept);
        isExpired = executed === undefined;
        return executed?.answer ?? { kind: "refused", refusal: { kind: "failed" } };
      },
      keep: (refused) => journal.keepAnswer(kept(refused)),
    });
    if (isExpired) return { kind: "expired" };
    return { kind: "answered", answer, isRepeated, isAudited: isRepeated || (executed?.isAudited ?? false) };
  }

  /** Submits a command; undefined when its time had passed, as it has for a call that waited for one with its key. */
  async #submit(
    { call, kind, endsAtMs }: RunningCall,
    kept?: (answer: CommandAnswer) => KeptAnswer,
  ): Promise<Executed | undefined> {
    const { clock, intake, whenReadable } = this.#options;
    if (clock.monotonic() > endsAtMs) return undefined;
    const parsed = this.#parse(kind, call);
    const refused = (refusal: Refusal): Executed => ({ answer: { kind: "refused", refusal }, isAudited: false });
    if (!parsed.ok) return refused(parsed.error);
    const matched =
      kind.matched?.(parsed.value, call.request as never, this.#options.realm) ?? objectCount(parsed.value);
    const answer: CommandAnswer = { kind: "accepted", ids: createdIds(parsed.value), matched };
    const records = { audit: call.audit ? [call.audit] : [], answer: kept?.(answer) };
    const accepted = await intake.submit(parsed.value, call.by, records);
    if (!accepted.ok) return refused(accepted.error);
    await whenReadable(accepted.value.seq);
    return { answer, isAudited: call.audit !== undefined };
  }

  #parse(kind: AnyCommandKind, { request, key }: CommandCall): Result<Command, Refusal> {
    const { realm, mintId, clock } = this.#options;
    const fields = kind.parse(request as never, { realm, mintId, requestKey: key?.key, nowMs: clock.now() });
    return fields.ok ? ok({ kind: kind.kind, ...fields.value } as Command) : fields;
  }
}

const answered = (executed: Executed): CallOutcome<CommandAnswer> => ({
  ...executed,
  kind: "answered",
  isRepeated: false,
});

/** Number of objects of a command. */
function objectCount(command: Command): number {
  if ("refs" in command) return command.refs.length;
  if ("results" in command) return command.results.length;
  return "ref" in command ? 1 : 0;
}
