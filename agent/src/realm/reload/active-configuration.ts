import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Diagnostic } from "@realmwatch/shared/model/diagnostic";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";

/** Text of a whole document; undefined for the content of the configuration file. */
type Source = { readonly text: string } | undefined;

export type ActiveConfigurationOptions = {
  /** Loads and compiles in another thread. Diagnostics of a given `text` name files by their last path segment. */
  load(source: Source): Promise<Result<RealmPlan, readonly Diagnostic[]>>;
  /** Reads the configuration file, byte for byte. The error is the system's code. */
  read(): Promise<Result<string, string>>;
  /** Replaces the configuration file. The error is the system's code. */
  write(text: string): Promise<Result<void, string>>;
  /** Makes a plan the active one and returns a summary of the changes. */
  swap(plan: RealmPlan): Promise<string>;
  /** Reports the outcome of a reload: the changes, or the diagnostics of a refused document. */
  reloaded(
    outcome:
      | { readonly by: "signal" | "api"; readonly changes: string }
      | { readonly by: "signal" | "api"; readonly diagnostics: readonly Diagnostic[] },
  ): void;
  /** Reports that the configuration file could not be read or written. */
  failed(what: string): void;
};

/**
 * The active configuration and its file. Reloads by signal and by API run one after the other: the document is loaded
 * as a whole, then the file is written, then the plan is swapped. A failure leaves file and plan as they were.
 */
export class ActiveConfiguration {
  readonly #options: ActiveConfigurationOptions;
  #lastReload: Promise<unknown> = Promise.resolve();

  constructor(options: ActiveConfigurationOptions) {
    this.#options = options;
  }

  /** Reloads the configuration file. */
  reload(): Promise<void> {
    return this.#serially(async () => {
      const { load, swap, reloaded } = this.#options;
      const plan = await load(undefined);
      if (plan.ok) reloaded({ by: "signal", changes: await swap(plan.value) });
      else reloaded({ by: "signal", diagnostics: plan.error });
    });
  }

  /** Checks a document without changing anything. */
  async validate(text: string): Promise<Result<void, Refusal>> {
    const plan = await this.#options.load({ text });
    return plan.ok ? ok(undefined) : fail({ kind: "rejected_document", diagnostics: plan.error });
  }

  /** Makes a document the content of the configuration file and the active configuration. */
  apply(text: string): Promise<Result<void, Refusal>> {
    return this.#serially(async () => {
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

  /** Runs `work` after all reloads that were requested before. */
  #serially<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lastReload.then(work);
    this.#lastReload = result.catch(() => undefined);
    return result;
  }
}
