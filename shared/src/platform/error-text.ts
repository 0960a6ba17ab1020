/** Text of any thrown value: the message of an error, otherwise the value itself. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
