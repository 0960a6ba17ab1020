import type { NatsBus } from "@realmwatch/shared/tools/nats-bus";
import { never } from "@realmwatch/shared/words/never";
import type { Outcome } from "@realmwatch/shared/words/outcome";
import { ErrorCode, type Msg, type NatsConnection, NatsError } from "nats";
import { readAnswer } from "./check-answer.ts";
import { whyUntrusted } from "./trusted-connection.ts";

/** What became of one offer. */
export type Offered =
  | { readonly kind: "done"; readonly worker: string; readonly outcome: Outcome; readonly executionMs: number }
  /** Nobody runs it: it may be offered again. */
  | { readonly kind: "not_taken"; readonly why: string }
  /** Somebody took it and was not heard of again. */
  | { readonly kind: "no_answer"; readonly afterMs: number }
  /** To offer it again would be no use. */
  | { readonly kind: "failed"; readonly why: string };

export type Offer = {
  readonly bus: NatsBus | undefined;
  readonly subject: string;
  readonly data: Uint8Array;
  /** Of the check, ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** What a worker's answer may take beyond the check's own timeout, ms. */
const marginMs = 1_000;
/** Longer than any timer of the client library can be; no check needs it. ms */
const longestMs = 2 ** 31 - 1;

/** Offers a check to whichever worker the broker chooses, and waits for what comes of it. Never rejects. */
export async function offerOnce({ bus, subject, data, timeoutMs, signal }: Offer): Promise<Offered> {
  const connection = bus?.live();
  if (bus === undefined || connection === undefined)
    return { kind: "not_taken", why: `NATS is away (${bus?.trouble() ?? "not opened"})` };
  const untrusted = whyUntrusted(connection);
  if (untrusted !== "") return { kind: "failed", why: untrusted };
  const most = connection.info?.max_payload ?? data.length;
  if (data.length > most)
    return { kind: "failed", why: `the check with its macros is ${data.length} bytes, NATS takes ${most} at most` };
  const afterMs = Math.min(timeoutMs + marginMs, longestMs);
  const lost = lossOf(bus, signal);
  try {
    const answer = await Promise.race([lost.happened, request(connection, { subject, data, afterMs })]);
    return answer === undefined ? { kind: "not_taken", why: "the connection to NATS was lost" } : answer;
  } finally {
    lost.forget();
  }
}

/** An answer that is sent while we are away never comes: the check is better offered once more. */
function lossOf(bus: NatsBus, signal: AbortSignal): { happened: Promise<undefined>; forget(): void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const happen = (): void => resolve(undefined);
  const stop = bus.onDown(happen);
  signal.addEventListener("abort", happen, { once: true });
  if (signal.aborted) happen();
  return {
    happened: promise,
    forget() {
      stop();
      signal.removeEventListener("abort", happen);
    },
  };
}

type Request = { readonly subject: string; readonly data: Uint8Array; readonly afterMs: number };

async function request(connection: NatsConnection, { subject, data, afterMs }: Request): Promise<Offered> {
  try {
    return offeredOf(await connection.request(subject, data, { timeout: afterMs }));
  } catch (error) {
    const code = error instanceof NatsError ? error.code : "";
    if (code === ErrorCode.NoResponders) return { kind: "not_taken", why: "none is connected" };
    if (code === ErrorCode.Timeout) return { kind: "no_answer", afterMs };
    if (code === ErrorCode.PermissionsViolation)
      return { kind: "failed", why: `the agent has no permission on NATS to publish ${subject}` };
    return { kind: "not_taken", why: `NATS: ${code || "the offer could not be sent"}` };
  }
}

function offeredOf({ data }: Msg): Offered {
  const read = readAnswer(data);
  if (!read.ok) return { kind: "failed", why: read.error };
  const { worker, answer } = read.value;
  switch (answer.kind) {
    case "done":
      return { ...answer, worker };
    case "declined":
      return { kind: "not_taken", why: "all that are connected are busy" };
    case "refused":
      return { kind: "failed", why: `worker ${worker} refused the check: ${answer.why}` };
    default:
      return never(answer);
  }
}
