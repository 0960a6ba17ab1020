import { Code, type ConnectError } from "@connectrpc/connect";
import type { CliFailure } from "../output/cli-failure.ts";
import { printableText } from "../output/printable-text.ts";
import { answerTooLarge } from "./answer-text.ts";

type FailedCall = {
  readonly server: string;
  /** Last part of the service's name: `CommandService`. */
  readonly service: string;
  /** Timeout of the call, ms. */
  readonly timeoutMs: number;
};

/** Likely reason why a server does not offer a service. */
const reasonsByService: Readonly<Record<string, string>> = {
  AdminService: "it has no -auth-config, or is -read-only",
  RealmAdminService: "it has no -auth-config, or is -read-only",
  AuthService: "it has no -auth-config",
  CommandService: "it is -read-only",
  RealmCommandService: "it is -read-only",
};

/** Explains a failed call to the user. */
export function rpcFailure(error: ConnectError, call: FailedCall): CliFailure {
  return { code: 1, lines: [`realmwatch: ${sentenceOf(error, call)}`] };
}

function sentenceOf(error: ConnectError, { server, service, timeoutMs }: FailedCall): string {
  if (isTooLarge(error)) return `${server} ${answerTooLarge}`;
  const status = /^HTTP (\d+)$/.exec(error.rawMessage)?.[1];
  if (status === "404")
    return `${server} does not offer ${service}: ${reasonsByService[service] ?? "it may not be a Realmwatch server"}`;
  if (status !== undefined) return `${server} is not a Realmwatch server: it answered HTTP ${status}`;
  const isAnswer = error.metadata.get("content-type") !== null;
  if (!isAnswer && error.code === Code.DeadlineExceeded)
    return `${server} did not answer within ${timeoutMs / 1000} s: the outcome is unknown`;
  if (!isAnswer) return `${server} cannot be reached: ${printableText(rootCauseOf(error).message)}`;
  const needsCredentials = error.code === Code.Unauthenticated && service !== "AuthService";
  const hint = needsCredentials ? "; use realmwatch login, -token or -token-file" : "";
  return `${printableText(error.rawMessage) || "refused"} (${wordOf(error.code)})${hint}`;
}

/** System errors of calls that never left this machine. */
const notSentCodes: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** True for an answer of which no more than the maximum was read. */
const isTooLarge = ({ code, rawMessage }: ConnectError): boolean =>
  code === Code.ResourceExhausted && /larger than configured readMaxBytes/.test(rawMessage);

/** Returns whether the connection was lost after the call may have been sent, so that its outcome is unknown. */
export function isLostConnection(error: ConnectError): boolean {
  if (isTooLarge(error) || error.metadata.get("content-type") !== null || /^HTTP \d+$/.test(error.rawMessage))
    return false;
  return error.code !== Code.DeadlineExceeded && !notSentCodes.has(rootCauseOf(error).code);
}

function rootCauseOf(error: Error): NodeJS.ErrnoException {
  const cause = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  return cause instanceof Error && cause !== error ? rootCauseOf(cause) : error;
}

/** Code as the API writes it: `NotFound` is `not_found`. */
const wordOf = (code: Code): string => (Code[code] ?? "unknown").replace(/(?<=.)[A-Z]/g, "_$&").toLowerCase();
