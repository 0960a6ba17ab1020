/** Returns the value of a macro by its name without dollar signs; undefined for an unknown macro. */
export type MacroLookup = (name: string) => string | undefined;

/** Maximum lengths of a macro's value in an argument and in the environment, bytes. The limit of Linux is 128 KiB. */
export const maxValueInArgument = 8_192;
export const maxValueInEnvironment = 65_536;
/** Maximum length of an argument or of `NAME=value` on Linux, bytes without the final NUL. */
export const maxArgumentBytes = 131_071;

/** Name of the environment variable with a macro's value. */
export const environmentName = (macro: string): string => `NAGIOS_${macro}`;

/** Truncates a text to at most `bytes`, between characters. Removes NUL, which arguments cannot contain. */
export function truncateBytes(text: string, bytes: number): string {
  const clean = text.includes("\0") ? text.replaceAll("\0", "") : text;
  if (clean.length * 3 <= bytes || Buffer.byteLength(clean) <= bytes) return clean;
  return new TextDecoder().decode(Buffer.from(clean).subarray(0, bytes), { stream: true });
}
