/**
 * One thing wrong with a document, named by where it stands. `path` leads from the document's root; `at` says
 * whether the value there is at fault (`value`) or the struct there lacks or contradicts something (`struct`).
 */
export type DocumentProblem = {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly at: "value" | "struct";
  /** Further paths where the fault is between fields: the problem then stands at whichever is written last. */
  readonly conflicts?: readonly (readonly (string | number)[])[];
};
