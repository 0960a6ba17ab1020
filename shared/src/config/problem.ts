/**
 * Problem of a document at a path. `at` is `value` if the value there is wrong, `struct` if the struct there lacks a
 * field or has conflicting ones.
 */
export type DocumentProblem = {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly at: "value" | "struct";
  /** Paths of conflicting fields. The problem is then reported at the field that is written last. */
  readonly conflicts?: readonly (readonly (string | number)[])[];
};
