import type { Result } from "../../model/result.ts";
import { optionalText } from "./flag-parsers.ts";

/** Flag without a default. `parse` gets an empty text when it is not given. */
export const optionalFlag = <T>(help: string, placeholder: string, parse: (text: string) => Result<T, string>) =>
  ({ kind: "value", help, placeholder, fallback: "", parse }) as const;

/** Flag with a text; undefined when it is not given. */
export const textFlag = (help: string, placeholder: string) => optionalFlag(help, placeholder, optionalText);

/** Flag that names a file; undefined when it is not given. */
export const fileFlag = (help: string) => textFlag(help, "FILE");
