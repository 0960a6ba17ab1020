import { reusedKey } from "@realmwatch/shared/model/idempotency-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { CommandAnswer, KeyedCall } from "../journal/command-answer.ts";
import type { Journal } from "../journal/journal.ts";

/** Answer to a call; `isRepeated` when an earlier call with the same key got it. */
type AnsweredCall = { readonly answer: CommandAnswer; readonly isRepeated: boolean };

/** Execution of a call that was not made before. The answer of an accepted command is stored with the command. */
type CommandExecution = {
  execute(): Promise<CommandAnswer>;
  /** Stores the answer of a call that was refused for good. */
  keep(answer: CommandAnswer): Promise<unknown>;
};

/** Refusals that a repeat may escape: a full queue, a disk that takes no writes. Nothing is stored for them. */
const passingRefusals: ReadonlySet<Refusal["kind"]> = new Set(["exhausted", "unavailable", "unanswered", "failed"]);

/** [FD21-FD23] Executes each call with an idempotency key once; its repeats get the stored answer. */
export class KeyedCalls {
  readonly #journal: Pick<Journal, "answerTo">;
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(journal: Pick<Journal, "answerTo">) {
    this.#journal = journal;
  }

  /** Returns the answer of the first call with this key, after executing it or waiting for it. */
  async answer(call: KeyedCall, execution: CommandExecution): Promise<AnsweredCall> {
    const id = JSON.stringify([call.identity, call.key]);
    for (let first = this.#running.get(id); first !== undefined; first = this.#running.get(id))
      await Promise.allSettled([first]);
    const answered = this.#answerNow(call, execution);
    this.#running.set(id, answered);
    try {
      return await answered;
    } finally {
      this.#running.delete(id);
    }
  }

  async #answerNow(call: KeyedCall, { execute, keep }: CommandExecution): Promise<AnsweredCall> {
    const known = await this.#journal.answerTo(call);
    if (!known.ok) return firstAnswer({ kind: "refused", refusal: known.error });
    if (known.value !== undefined)
      return known.value.requestHash === call.requestHash
        ? { answer: known.value.answer, isRepeated: true }
        : firstAnswer({ kind: "refused", refusal: reusedKey });
    const answer = await execute();
    if (answer.kind === "refused" && !passingRefusals.has(answer.refusal.kind)) await keep(answer);
    return firstAnswer(answer);
  }
}

const firstAnswer = (answer: CommandAnswer): AnsweredCall => ({ answer, isRepeated: false });
