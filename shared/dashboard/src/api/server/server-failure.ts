import { Code, ConnectError } from "@connectrpc/connect";
import { connectionTexts } from "../../texts/connection-texts.ts";

/** A failed call as the page displays it. `code` is the Connect code in snake case; `next` the advice, may be empty. */
type ServerFailure = { readonly code: string; readonly message: string; readonly next: string };

const nextSteps: Partial<Record<Code, string>> = {
  [Code.Unauthenticated]: connectionTexts.signInThenTryAgain,
  [Code.PermissionDenied]: connectionTexts.yourRoleDoesNotPermit,
  [Code.Unavailable]: connectionTexts.nothingWasQueuedTryAgain,
  [Code.DeadlineExceeded]: connectionTexts.theOutcomeIsUnknownCheck,
  [Code.ResourceExhausted]: connectionTexts.theServerIsBusyTry,
  [Code.NotFound]: connectionTexts.theObjectMayHaveBeen,
  [Code.Unimplemented]: connectionTexts.thisServerDoesNotSupport,
};

export const serverCodeOf = (error: unknown): Code => ConnectError.from(error).code;

export function serverFailureOf(error: unknown): ServerFailure {
  const { code, rawMessage } = ConnectError.from(error);
  const name = Code[code]?.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase() ?? "unknown";
  return { code: name, message: rawMessage, next: nextSteps[code] ?? "" };
}
