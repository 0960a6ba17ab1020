/**
 * Texts by key. Each is kept for a limited time and in a limited number and size, of which the oldest are deleted first.
 */
export type TextStore = {
  /** Returns the text of a key; undefined when none is stored. Rejects when the store cannot be read. */
  read(key: string): Promise<string | undefined>;
  /**
   * Stores the text unless the key has one already, and returns the stored one. When it resolves, the text survives a
   * crash of the process. Rejects when the text cannot be stored.
   */
  add(key: string, text: string): Promise<string>;
};

/** Limits of a text store. */
export type TextLimits = {
  readonly keptMs: number;
  readonly maxTexts: number;
  /** Maximum length of all texts together, in UTF-16 units. */
  readonly maxLength: number;
};
