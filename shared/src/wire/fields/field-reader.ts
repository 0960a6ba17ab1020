import type { Refusal } from "../../model/refusal.ts";
import { fail, ok, type Result } from "../../model/result.ts";

/**
 * Collects the errors of a message's fields, so that a codec need not handle each one. `take` returns a field's value,
 * or the fallback for an invalid field; `finish` returns the first error instead of the whole value if there was one.
 */
export type FieldReader = {
  take<T>(field: Result<T, Refusal>, fallback: T): T;
  /** Value of a required field; undefined is an error. */
  need<T>(name: string, value: T | undefined, fallback: T): T;
  finish<T>(value: T): Result<T, Refusal>;
};

export function fieldReader(): FieldReader {
  let first: Refusal | undefined;
  return {
    take(field, fallback) {
      if (field.ok) return field.value;
      first ??= field.error;
      return fallback;
    },
    need(name, value, fallback) {
      if (value !== undefined) return value;
      first ??= { kind: "malformed", field: name, why: "is unset, or of a newer release" };
      return fallback;
    },
    finish: (value) => (first === undefined ? ok(value) : fail(first)),
  };
}
