import { inspect } from "node:util";

const mask = "[secret]";

/** Text that is `[secret]` when it is printed, logged or converted to JSON; only `reveal` returns it. */
export type Secret = { readonly reveal: () => string };

/** Wraps a text in a `Secret`. */
export function hideSecret(text: string): Secret {
  const secret = { reveal: () => text };
  for (const key of ["toString", "toJSON", inspect.custom]) {
    Object.defineProperty(secret, key, { value: () => mask, enumerable: false });
  }
  return secret;
}
