/** Maximum depth of blocks, parentheses, and templates above one another. */
export const maxNesting = 100;

/** Maximum length of one value, UTF-16 code units: values that add up may double with each template. */
export const maxValueLength = 65_536;

/**
 * [IM18] Bounds of what the sources may expand to. They grow with the length of the sources, because a large site has more
 * objects than a small one, and a few lines that double each other must not.
 */
export class ImportLimits {
  #length = 0;

  /** Counts a text that was read. @param length UTF-16 code units */
  addSource(length: number): void {
    this.#length += length;
  }

  /** Maximum number of objects after groups, loops and apply rules. */
  get objects(): number {
    return 50_000 + this.#length / 4;
  }

  /** Maximum number of attributes of all objects after templates, and of names in all lists. */
  get entries(): number {
    return 1_000_000 + this.#length;
  }

  /** Maximum number of steps of the evaluation of expressions and statements. */
  get steps(): number {
    return 5_000_000 + 50 * this.#length;
  }
}
