/** The value of a macro by its name without dollars; `undefined` where there is no such macro. */
export type MacroLookup = (name: string) => string | undefined;

/** The longest a macro's value becomes in an argument and in the environment, bytes: Linux takes 128 KiB at most. */
export const maxValueInArgument = 8_192;
export const maxValueInEnvironment = 65_536;
/** Longest single argument or `NAME=value` that Linux takes, in bytes without the closing NUL. */
export const maxArgumentBytes = 131_071;

/** The variable that holds a macro's value for programs. */
export const environmentName = (macro: string): string => `NAGIOS_${macro}`;

/** At most `bytes` of `text`, cut between characters. NUL goes: no program can be handed one. */
export function truncateBytes(text: string, bytes: number): string {
  const clean = text.includes("\0") ? text.replaceAll("\0", "") : text;
  if (clean.length * 3 <= bytes || Buffer.byteLength(clean) <= bytes) return clean;
  return new TextDecoder().decode(Buffer.from(clean).subarray(0, bytes), { stream: true });
}
