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
  /**
   * Lists stored texts, the last added first; of one time by their keys, the greater ones first. Rejects when the store
   * cannot be read.
   */
  list(range: TextRange): Promise<readonly StoredText[]>;
};

export type StoredText = {
  readonly key: string;
  readonly text: string;
  /** Time at which the text was added, Unix ms. */
  readonly atMs: number;
};

/** Part of a list of texts. */
type TextRange = {
  /** First and last time, inclusive, Unix ms. Default: without limit. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Number of texts of the range to leave out at the beginning of the list. */
  readonly offset: number;
  /** Maximum number of texts. */
  readonly limit: number;
};

/** Limits of a text store. */
export type TextLimits = {
  readonly keptMs: number;
  readonly maxTexts: number;
  /** Maximum length of all texts together, in UTF-16 units. */
  readonly maxLength: number;
};

/** Texts by name, all of them read together; of a size that fits into memory. */
export type TextMap = {
  /** Rejects when the store cannot be read. */
  all(): Promise<ReadonlyMap<string, string>>;
  /**
   * Stores the text of a name, or deletes it when the text is undefined. When it resolves, the change survives a crash of
   * the process. Rejects when it cannot be stored.
   */
  set(name: string, text: string | undefined): Promise<void>;
};
