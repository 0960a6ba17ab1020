import type { DocumentChange } from "@realmwatch/shared/config/diff/document-change";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { CommandAnswer } from "../journal/command-answer.ts";
import type { Journal } from "../journal/journal.ts";
import { type RightToAct, unlimitedRight } from "../platform/right/right-to-act.ts";
import type { CallOutcome, ConfigCall } from "../port/port-contract.ts";
import type { ActiveConfiguration } from "../realm/reload/active-configuration.ts";
import { heldRefusal } from "./command-intake.ts";
import type { KeyedCalls } from "./keyed-calls.ts";

type ConfigExecutorOptions = {
  /** Default: that of an agent without a pair. */
  readonly right?: RightToAct | undefined;
  readonly configuration: Pick<ActiveConfiguration, "apply">;
  readonly keyedCalls: KeyedCalls;
  readonly journal: Pick<Journal, "keepAnswer">;
  readonly clock: Pick<Clock, "now" | "monotonic">;
};

/**
 * [FD87] Applies documents, one with an idempotency key once. A refused document has changed nothing, so that its answer
 * is not stored: a repeat is judged again.
 */
export class ConfigExecutor {
  readonly #options: ConfigExecutorOptions;

  constructor(options: ConfigExecutorOptions) {
    this.#options = options;
  }

  async apply({ cue, key, timeoutMs }: ConfigCall): Promise<Result<CallOutcome<DocumentChange | undefined>, Refusal>> {
    const { keyedCalls, journal, clock } = this.#options;
    const endsAtMs = clock.monotonic() + timeoutMs;
    const answered = (answer: DocumentChange | undefined, isRepeated: boolean) =>
      ok({ kind: "answered", answer, isRepeated, isAudited: isRepeated } as const);
    if (key === undefined) {
      const applied = await this.#applyNow(cue);
      return applied.ok ? answered(applied.value, false) : applied;
    }
    let isExpired = false;
    const { answer, isRepeated } = await keyedCalls.answer(key, {
      execute: async (): Promise<CommandAnswer> => {
        // A call may have waited for another one with the same key until after its deadline.
        isExpired = clock.monotonic() > endsAtMs;
        const applied = isExpired ? fail<Refusal>({ kind: "failed" }) : await this.#applyNow(cue);
        if (!applied.ok) return { kind: "refused", refusal: applied.error };
        const accepted: CommandAnswer = { kind: "accepted", ids: [], matched: 0, change: applied.value };
        await journal.keepAnswer({ ...key, quota: "commands", atMs: clock.now(), answer: accepted });
        return accepted;
      },
      async keep() {},
    });
    if (isExpired) return ok({ kind: "expired" });
    return answer.kind === "refused" ? fail(answer.refusal) : answered(answer.change, isRepeated);
  }

  async #applyNow(cue: string): Promise<Result<DocumentChange | undefined, Refusal>> {
    const { configuration, right = unlimitedRight } = this.#options;
    const held = heldRefusal(right);
    return held === undefined ? configuration.apply(cue) : fail(held);
  }
}
