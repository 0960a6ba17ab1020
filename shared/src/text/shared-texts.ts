/** Maximum length of a text that is shared: longer ones, such as the output of checks, are seldom equal. */
const maxLength = 24;
/** Maximum number of different texts that are known at a time. */
const maxTexts = 4_096;

const none: readonly never[] = Object.freeze([]);

/**
 * Replaces equal texts of data from another thread by one of them: data that crosses threads gets a copy of each text,
 * also of those that all objects have.
 */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  /** Replaces short texts and empty lists among the fields, or items, of a value that is not frozen. */
  shareFields(value: object): void {
    const fields = value as Record<string, unknown>;
    for (const name in fields) {
      const field = fields[name];
      if (typeof field === "string") {
        if (field.length <= maxLength) fields[name] = this.#shared(field);
      } else if (Array.isArray(field) && field.length === 0) fields[name] = none;
    }
  }

  #shared(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    // Forgetting all costs a copy of each frequent text, and keeps none of the texts of which there is only one.
    if (this.#texts.size === maxTexts) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}
