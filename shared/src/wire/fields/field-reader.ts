import type { Refusal } from "../../model/refusal.ts";
import { fail, ok, type Result } from "../../model/result.ts";

/**
 * Lets a codec read a message's fields straight through: `take` gives a field's value, or a stand-in
 * where the field was refused, and `finish` answers the first refusal instead of the value made of them.
 */
export type FieldReader = {
  take<T>(field: Result<T, Refusal>, standIn: T): T;
  /** A field that has to be set: undefined is refused. */
  need<T>(name: string, value: T | undefined, standIn: T): T;
  finish<T>(value: T): Result<T, Refusal>;
};

export function fieldReader(): FieldReader {
  let first: Refusal | undefined;
  return {
    take(field, standIn) {
      if (field.ok) return field.value;
      first ??= field.error;
      return standIn;
    },
    need(name, value, standIn) {
      if (value !== undefined) return value;
      first ??= { kind: "malformed", field: name, why: "is unset, or of a newer release" };
      return standIn;
    },
    finish: (value) => (first === undefined ? ok(value) : fail(first)),
  };
}
