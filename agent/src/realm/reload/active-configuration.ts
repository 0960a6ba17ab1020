import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Diagnostic } from "@realmwatch/shared/model/diagnostic";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";

/** Text of a whole document, or undefined for what the served file holds. */
type Source = { readonly text: string } | undefined;

export type ActiveConfigurationOptions = {
  /** Loads and compiles off this thread; diagnostics name files by their last part where `text` is given. */
  load(source: Source): Promise<Result<RealmPlan, readonly Diagnostic[]>>;
  /** The served file, byte for byte, and its replacement; the error is the system's code. */
  read(): Promise<Result<string, string>>;
  write(text: string): Promise<Result<void, string>>;
  /** Makes a plan the running one and says what changed. */
  swap(plan: RealmPlan): Promise<string>;
  /** What became of a reload. `changes` is undefined where the document was refused. */
  reloaded(
    outcome:
      | { readonly by: "signal" | "api"; readonly changes: string }
      | { readonly by: "signal" | "api"; readonly diagnostics: readonly Diagnostic[] },
  ): void;
  /** The served file could not be read or written. */
  failed(what: string): void;
};

/**
 * Keeps the running configuration and its file together. Signal and API come through here one after the
 * other: load whole, then write the file, then swap; whatever fails leaves both as they were.
 */
export class ActiveConfiguration {
  readonly #options: ActiveConfigurationOptions;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ActiveConfigurationOptions) {
    this.#options = options;
  }

  /** Takes the served file anew. */
  reload(): Promise<void> {
    return this.#inTurn(async () => {
      const { load, swap, reloaded } = this.#options;
      const plan = await load(undefined);
      if (plan.ok) reloaded({ by: "signal", changes: await swap(plan.value) });
      else reloaded({ by: "signal", diagnostics: plan.error });
    });
  }

  /** Whether a document would be taken. Changes nothing. */
  async validate(text: string): Promise<Result<void, Refusal>> {
    const plan = await this.#options.load({ text });
    return plan.ok ? ok(undefined) : fail({ kind: "rejected_document", diagnostics: plan.error });
  }

  /** Makes a document the served and the running one. */
  apply(text: string): Promise<Result<void, Refusal>> {
    return this.#inTurn(async () => {
      const { load, write, swap, reloaded, failed } = this.#options;
      const plan = await load({ text });
      if (!plan.ok) {
        reloaded({ by: "api", diagnostics: plan.error });
        return fail<Refusal>({ kind: "rejected_document", diagnostics: plan.error });
      }
      const written = await write(text);
      if (!written.ok) {
        failed(`the configuration file cannot be written: ${written.error}`);
        return fail<Refusal>({ kind: "failed" });
      }
      reloaded({ by: "api", changes: await swap(plan.value) });
      return ok(undefined);
    });
  }

  async document(): Promise<Result<string, Refusal>> {
    const text = await this.#options.read();
    if (text.ok) return text;
    this.#options.failed(`the configuration file cannot be read: ${text.error}`);
    return fail({ kind: "failed" });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}
