import { Code, ConnectError } from "@connectrpc/connect";

/** A failed call as the page displays it. `code` is the Connect code in snake case; `next` the advice, may be empty. */
type ServerFailure = { readonly code: string; readonly message: string; readonly next: string };

const nextSteps: Partial<Record<Code, string>> = {
  [Code.Unauthenticated]: "Sign in, then try again.",
  [Code.PermissionDenied]: "Your role does not permit this.",
  [Code.Unavailable]: "Nothing was queued. Try again when the server is reachable.",
  [Code.DeadlineExceeded]: "The outcome is unknown: check the object before you try again.",
  [Code.ResourceExhausted]: "The server is busy. Try again in a moment.",
  [Code.NotFound]: "The object may have been removed.",
  [Code.Unimplemented]: "This server does not support the call.",
};

export const serverCodeOf = (error: unknown): Code => ConnectError.from(error).code;

export function serverFailureOf(error: unknown): ServerFailure {
  const { code, rawMessage } = ConnectError.from(error);
  const name = Code[code]?.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase() ?? "unknown";
  return { code: name, message: rawMessage, next: nextSteps[code] ?? "" };
}
