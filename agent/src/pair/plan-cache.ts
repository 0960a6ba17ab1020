import type { Diagnostic } from "@realmwatch/shared/model/diagnostic";
import { ok, type Result } from "@realmwatch/shared/model/result";
import type { LoadedDocument } from "../realm/reload/active-configuration.ts";

type LoadText = (text: string) => Promise<Result<LoadedDocument, readonly Diagnostic[]>>;

/** Plans that a member can start with: that of its own document, and that of the active member's. */
export class PlanCache {
  /** Configuration of this member's own file. */
  own: LoadedDocument;
  /** Document that this member's agent runs, or ran last; undefined before it was active. */
  running: string | undefined;
  readonly #load: LoadText;
  #other: { readonly text: string; readonly loading: ReturnType<LoadText> } | undefined;

  constructor(own: LoadedDocument, load: LoadText) {
    this.own = own;
    this.#load = load;
  }

  /**
   * Plan of a document of the active member; undefined or empty for the own one. It is evaluated when it is first asked
   * for, so that a takeover need not wait for it.
   */
  planFor(text: string | undefined): ReturnType<LoadText> {
    if (text === undefined || text === "" || text === this.own.document) return Promise.resolve(ok(this.own));
    if (this.#other?.text !== text) this.#other = { text, loading: this.#load(text) };
    return this.#other.loading;
  }
}
