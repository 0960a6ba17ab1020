import { documentHash } from "@realmwatch/shared/api/audit/document-hash";
import type { DocumentChange } from "@realmwatch/shared/config/diff/document-change";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Diagnostic } from "@realmwatch/shared/model/diagnostic";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { oneAtATime } from "@realmwatch/shared/platform/one-at-a-time";

/** Text of a whole document; undefined for the content of the configuration file. */
type Source = { readonly text: string } | undefined;

/** Objects that a swap of plans changed. `summary`: all differences in words. */
type PlanChange = Omit<DocumentChange, "before" | "after">;

/** Plan with the text of the document that it was compiled from. */
export type LoadedDocument = { readonly plan: RealmPlan; readonly document: string };

/** Document in use, and whether the configuration file has another content by now or cannot be read. */
export type ServedDocument = { readonly text: string; readonly changedOnDisk: boolean };

export type ActiveConfigurationOptions = {
  /** Source of the plan in use at the start. */
  readonly document: string;
  /** Loads and compiles in another thread. Diagnostics of a given `text` name files by their last path segment. */
  load(source: Source): Promise<Result<LoadedDocument, readonly Diagnostic[]>>;
  /** Path of the configuration file, as the operator gave it. */
  readonly path: string;
  /** Reads the configuration as it is on disk, byte for byte; undefined when that is not possible. */
  read(): Promise<string | undefined>;
  /** Replaces the configuration file. The error is the system's code. */
  write(text: string): Promise<Result<void, string>>;
  /** Called with each document of the configuration file after it came into use. Default: not called. */
  readonly applied?: ((loaded: LoadedDocument) => void) | undefined;
  /** Makes a plan the active one. */
  swap(plan: RealmPlan): Promise<PlanChange>;
  /** Reports the outcome of a reload: the changes, or the diagnostics of a refused document. */
  reloaded(
    outcome:
      | { readonly by: "signal" | "api"; readonly changes: string }
      | { readonly by: "signal" | "api"; readonly diagnostics: readonly Diagnostic[] },
  ): void;
  /** Reports that the configuration file could not be read or written. */
  failed(what: string): void;
};

/** Reasons for which a file cannot be replaced until an operator has changed something, by the system's code. */
const replaceErrors: Readonly<Record<string, string>> = {
  EISDIR: "it is a directory; change the files in it and send SIGHUP",
  ENOENT: "there is no such file; put it back",
  ENOTDIR: "there is no such file; put it back",
  ELOOP: "it has too many symbolic links",
  EROFS: "its file system is read-only",
  EACCES: "permission denied",
  EPERM: "permission denied",
};

function writeRefusal(path: string, code: string): Refusal {
  const why = replaceErrors[code];
  if (why === undefined) return { kind: "failed" };
  return { kind: "unconfigured", why: `the configuration ${path} cannot be replaced: ${why}` };
}

/** Maximum number of documents that are validated or wait for that. */
const maxValidations = 4;

/**
 * The active configuration and its file. Reloads by signal and by API run one after the other: the document is loaded
 * as a whole, then the file is written, then the plan is swapped. A failure leaves file and plan as they were.
 */
export class ActiveConfiguration {
  readonly #options: ActiveConfigurationOptions;
  #document: string;
  /** Runs work after all reloads that were requested before. */
  readonly #serially = oneAtATime();
  #lastValidation: Promise<unknown> = Promise.resolve();
  /** Number of validations that run or wait. */
  #validations = 0;

  constructor(options: ActiveConfigurationOptions) {
    this.#options = options;
    this.#document = options.document;
  }

  /** Reloads the configuration file. */
  reload(): Promise<void> {
    return this.#serially(async () => {
      const { load, reloaded } = this.#options;
      const loaded = await load(undefined);
      if (loaded.ok) reloaded({ by: "signal", changes: (await this.#use(loaded.value)).summary });
      else reloaded({ by: "signal", diagnostics: loaded.error });
    });
  }

  /**
   * Checks a document without changing anything and returns its plan. One at a time, because each may take as much
   * memory as the loader is allowed to.
   */
  validate(text: string): Promise<Result<RealmPlan, Refusal>> {
    if (this.#validations >= maxValidations)
      return Promise.resolve(
        fail({ kind: "exhausted", what: `${maxValidations} documents are being validated already` }),
      );
    this.#validations += 1;
    const validated = this.#lastValidation.then(async (): Promise<Result<RealmPlan, Refusal>> => {
      const loaded = await this.#options.load({ text });
      return loaded.ok ? ok(loaded.value.plan) : fail({ kind: "rejected_document", diagnostics: loaded.error });
    });
    this.#lastValidation = validated
      .catch(() => undefined)
      .then(() => {
        this.#validations -= 1;
      });
    return validated;
  }

  /**
   * Makes a document the content of the configuration file and the active configuration. `unconfigured` where the file
   * cannot be replaced; then nothing has changed.
   */
  apply(text: string): Promise<Result<DocumentChange, Refusal>> {
    return this.#serially(async () => {
      const { load, write, reloaded, failed } = this.#options;
      const loaded = await load({ text });
      if (!loaded.ok) {
        reloaded({ by: "api", diagnostics: loaded.error });
        return fail<Refusal>({ kind: "rejected_document", diagnostics: loaded.error });
      }
      const written = await write(text);
      if (!written.ok) {
        failed(`the configuration file cannot be written: ${written.error}`);
        return fail(writeRefusal(this.#options.path, written.error));
      }
      const before = documentHash(this.#document);
      const change = await this.#use(loaded.value);
      reloaded({ by: "api", changes: change.summary });
      return ok({ ...change, before, after: documentHash(text) });
    });
  }

  /** Returns the document that is in use, whatever became of its file. Those of a folder are joined. */
  async document(): Promise<ServedDocument> {
    const onDisk = await this.#options.read();
    return { text: this.#document, changedOnDisk: onDisk !== this.#document };
  }

  async #use(loaded: LoadedDocument): Promise<PlanChange> {
    const change = await this.#options.swap(loaded.plan);
    this.#document = loaded.document;
    this.#options.applied?.(loaded);
    return change;
  }
}
