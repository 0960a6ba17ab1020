import { createHash } from "node:crypto";
import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { SnmpAccess } from "@realmwatch/shared/model/snmp-access";
import { KeyedSemaphore } from "./keyed-semaphore.ts";
import { registerCiphers } from "./snmp-ciphers.ts";
import type { SnmpFailure, SnmpReader, SnmpRequest, SnmpValue } from "./snmp-request.ts";
import { exchangeSnmp, type SnmpEngine } from "./snmp-session.ts";

/** Agents are small machines: more requests at once than these overflow the sockets of some, and answers are lost. */
const atOncePerAgent = 8;
/** Agents and users whose engine is remembered. */
const keptEngines = 32_768;

/** Failures that may only mean that the agent is not the one, or not in the time, that was remembered. */
const maybeOutdated: ReadonlySet<SnmpFailure["kind"]> = new Set([
  "not_in_time",
  "wrong_answer",
  "wrong_digest",
  "not_decrypted",
  "unknown_user",
]);

const crowded = fail({ kind: "crowded", detail: "" } as const);

/** A reader whose every request has a socket of its own, so that no answer can meet another's question. */
export function openSnmpReader({ clock }: { readonly clock: Clock }): SnmpReader {
  registerCiphers();
  const turns = new KeyedSemaphore(atOncePerAgent);
  const engines = new Map<string, SnmpEngine>();

  return {
    async get(request, signal) {
      const late = new AbortController();
      const cancelDeadline = clock.after(request.timeoutMs, () => late.abort());
      const answer = await inTurn(request, AbortSignal.any([signal, late.signal]));
      cancelDeadline();
      return signal.aborted ? fail({ kind: "aborted", detail: "" }) : answer;
    },
  };

  async function inTurn(request: SnmpRequest, signal: AbortSignal): Promise<Result<SnmpValue, SnmpFailure>> {
    const place = `${request.address} ${request.port}`;
    const startedMs = clock.monotonic();
    if (!(await turns.enter(place, signal))) return crowded;
    const waitedMs = clock.monotonic() - startedMs;
    const answer = await ask({ ...request, timeoutMs: Math.max(1, request.timeoutMs - waitedMs) }, signal);
    turns.leave(place);
    const hardlyAsked = !answer.ok && answer.error.kind === "no_answer" && waitedMs > request.timeoutMs / 2;
    return hardlyAsked ? crowded : answer;
  }

  /** Never rejects. What is remembered of the engine saves a round trip; where it may be outdated, it is asked anew. */
  async function ask(request: SnmpRequest, signal: AbortSignal): Promise<Result<SnmpValue, SnmpFailure>> {
    const { access } = request;
    if (access.version === "v2c") return (await exchangeSnmp(request, undefined, signal)).answer;
    const name = engineName(request, access);
    const known = engines.get(name);
    let done = await exchangeSnmp(request, known, signal);
    // Some devices keep silent to the name of the one that was there before them: the next check asks for the engine.
    if (!done.answer.ok && done.answer.error.kind === "no_answer") engines.delete(name);
    if (known !== undefined && !done.answer.ok && maybeOutdated.has(done.answer.error.kind)) {
      engines.delete(name);
      done = await exchangeSnmp(request, undefined, signal);
    }
    if (done.answer.ok && done.engine !== undefined) remember(name, done.engine);
    return done.answer;
  }

  function remember(name: string, engine: SnmpEngine): void {
    engines.delete(name);
    engines.set(name, engine);
    if (engines.size > keptEngines) engines.delete(engines.keys().next().value ?? "");
  }
}

/** Other passwords are another name: a mistaken reader must not forget what a right one learned. */
function engineName({ address, port }: SnmpRequest, access: Extract<SnmpAccess, { version: "v3" }>): string {
  return createHash("sha256")
    .update(JSON.stringify([address, port, access]))
    .digest("base64");
}
