import { Code, ConnectError } from "@connectrpc/connect";

/** A failed call in the words that the page shows. `code` is the contract's own word. */
export type CallFailure = { readonly code: string; readonly message: string; readonly next: string };

const nextSteps: Partial<Record<Code, string>> = {
  [Code.Unauthenticated]: "Enter a token that this server knows.",
  [Code.PermissionDenied]: "Ask somebody with the role that it needs.",
  [Code.Unavailable]: "Nothing was queued. Try again when it is back.",
  [Code.DeadlineExceeded]: "The outcome is unknown: look at the object before you try again.",
  [Code.ResourceExhausted]: "The server is busy. Try again in a moment.",
  [Code.NotFound]: "It may have been removed meanwhile.",
  [Code.Unimplemented]: "This server does not offer it.",
};

export const callCodeOf = (error: unknown): Code => ConnectError.from(error).code;

export function callFailureOf(error: unknown): CallFailure {
  const { code, rawMessage } = ConnectError.from(error);
  const word = Code[code]?.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase() ?? "unknown";
  return { code: word, message: rawMessage, next: nextSteps[code] ?? "" };
}
