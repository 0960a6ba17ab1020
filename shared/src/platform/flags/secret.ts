import { inspect } from "node:util";

const mask = "[secret]";

/** A text that shows itself only to who asks with `reveal`: printed, logged or turned into JSON it is `[secret]`. */
export type Secret = { readonly reveal: () => string };

export function hideSecret(text: string): Secret {
  const secret = { reveal: () => text };
  for (const key of ["toString", "toJSON", inspect.custom]) {
    Object.defineProperty(secret, key, { value: () => mask, enumerable: false });
  }
  return secret;
}
