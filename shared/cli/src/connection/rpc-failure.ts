import { Code, type ConnectError } from "@connectrpc/connect";
import type { CommandFailure } from "../output/command-failure.ts";
import { printableText } from "../output/printable-text.ts";

export type FailedCall = {
  readonly server: string;
  /** Last part of the service's name: `CommandService`. */
  readonly service: string;
  /** How long an answer was waited for, ms. */
  readonly timeoutMs: number;
};

/** Why a server may not serve a service at all. */
const unserved: Readonly<Record<string, string>> = {
  AdminService: "it has no -auth-config, or is -read-only",
  RealmAdminService: "it has no -auth-config, or is -read-only",
  CommandService: "it is -read-only",
  RealmCommandService: "it is -read-only",
};

/** What a failed call means to who made it. */
export function rpcFailure(error: ConnectError, asked: FailedCall): CommandFailure {
  return { code: 1, lines: [`realmwatch: ${sentenceOf(error, asked)}`] };
}

function sentenceOf(error: ConnectError, { server, service, timeoutMs }: FailedCall): string {
  const status = /^HTTP (\d+)$/.exec(error.rawMessage)?.[1];
  if (status === "404")
    return `${server} serves no ${service}: ${unserved[service] ?? "it may be no Realmwatch server"}`;
  if (status !== undefined) return `${server} is no Realmwatch server: it answered HTTP ${status}`;
  const isAnswer = error.metadata.get("content-type") !== null;
  if (!isAnswer && error.code === Code.DeadlineExceeded)
    return `${server} did not answer within ${timeoutMs / 1000} s: whether it took the call is unknown`;
  if (!isAnswer) return `${server} cannot be reached: ${rootOf(error)}`;
  const hint = error.code === Code.Unauthenticated ? "; give -token or -token-file" : "";
  return `${printableText(error.rawMessage) || "refused"} (${wordOf(error.code)})${hint}`;
}

/** `NotFound` as the API writes it: `not_found`. */
const wordOf = (code: Code): string => (Code[code] ?? "unknown").replace(/(?<=.)[A-Z]/g, "_$&").toLowerCase();

function rootOf(error: Error): string {
  const cause = error.cause instanceof AggregateError ? error.cause.errors[0] : error.cause;
  return cause instanceof Error && cause !== error ? rootOf(cause) : printableText(error.message);
}
