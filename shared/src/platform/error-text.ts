/** Text of any thrown value: the message of an error, otherwise the value itself. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Code of an error of the system, such as `ENOENT`. */
export const errorCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown error";
