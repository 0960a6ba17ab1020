/** Levels of `-log-level`, from the lowest. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];
/** Formats of `-log-format`. */
export const logFormats = ["json", "pretty"] as const;
export type LogFormat = (typeof logFormats)[number];
