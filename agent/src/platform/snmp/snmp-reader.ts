import { createHash } from "node:crypto";
import { type Clock, withDeadline } from "@realmwatch/shared/model/clock";
import { fail, type Result } from "@realmwatch/shared/model/result";
import type { SnmpAccess } from "@realmwatch/shared/model/snmp-access";
import { registerCiphers } from "./snmp-ciphers.ts";
import type { SnmpFailure, SnmpReader, SnmpRequest, SnmpValue } from "./snmp-request.ts";
import { exchangeSnmp, type SnmpEngine } from "./snmp-session.ts";

/** Concurrent requests per agent: more overflow the socket buffers of some small devices, which loses responses. */
const maxConcurrentPerAgent = 8;
/** Maximum number of cached SNMPv3 engines, one per agent and user. */
const maxCachedEngines = 32_768;

/** Failures that can be caused by an outdated engine id or engine time in the cache. */
const maybeOutdated: ReadonlySet<SnmpFailure["kind"]> = new Set([
  "not_in_time",
  "wrong_answer",
  "wrong_digest",
  "not_decrypted",
  "unknown_user",
]);

const noSlot = fail({ kind: "no_slot", detail: "" } as const);

/** Opens a reader that uses a new socket for each request, so that a response never reaches another request. */
export function openSnmpReader({ clock }: { readonly clock: Clock }): SnmpReader {
  registerCiphers();
  const slots = new KeyedSemaphore(maxConcurrentPerAgent);
  const engines = new Map<string, SnmpEngine>();

  return {
    async get(request, signal) {
      const limit = { clock, ms: request.timeoutMs, signal };
      const answer = await withDeadline(limit, (ending) => getWhenFree(request, ending));
      return signal.aborted ? fail({ kind: "aborted", detail: "" }) : answer;
    },
  };

  async function getWhenFree(request: SnmpRequest, signal: AbortSignal): Promise<Result<SnmpValue, SnmpFailure>> {
    const agent = `${request.address} ${request.port}`;
    const startedMs = clock.monotonic();
    if (!(await slots.acquire(agent, signal))) return noSlot;
    const waitedMs = clock.monotonic() - startedMs;
    const answer = await getNow({ ...request, timeoutMs: Math.max(1, request.timeoutMs - waitedMs) }, signal);
    slots.release(agent);
    const mostlyWaited = !answer.ok && answer.error.kind === "no_answer" && waitedMs > request.timeoutMs / 2;
    return mostlyWaited ? noSlot : answer;
  }

  /** Never rejects. A cached engine saves a round trip; when it may be outdated, the request is repeated without it. */
  async function getNow(request: SnmpRequest, signal: AbortSignal): Promise<Result<SnmpValue, SnmpFailure>> {
    const { access } = request;
    if (access.version === "v2c") return (await exchangeSnmp(request, undefined, signal)).answer;
    const name = engineName(request, access);
    const known = engines.get(name);
    let done = await exchangeSnmp(request, known, signal);
    // Some devices ignore requests with the engine id of their predecessor: the next check discovers the engine again.
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
    if (engines.size > maxCachedEngines) engines.delete(engines.keys().next().value ?? "");
  }
}

/** Cache key with the credentials: a request with wrong ones must not evict the engine of correct ones. */
function engineName({ address, port }: SnmpRequest, access: Extract<SnmpAccess, { version: "v3" }>): string {
  return createHash("sha256")
    .update(JSON.stringify([address, port, access]))
    .digest("base64");
}

/** Limits the number of concurrent holders per key; waiting callers are served in order of arrival. */
class KeyedSemaphore {
  readonly #limit: number;
  readonly #keys = new Map<string, { held: number; readonly waiting: (() => void)[] }>();

  /** @param limit concurrent holders per key, at least 1 */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves to true once acquired: `release` has to follow. Resolves to false when `signal` aborts first. */
  acquire(key: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    const entry = this.#keys.getOrInsertComputed(key, () => ({ held: 0, waiting: [] }));
    if (entry.held < this.#limit) {
      entry.held++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const proceed = (): void => {
        signal.removeEventListener("abort", cancel);
        resolve(true);
      };
      const cancel = (): void => {
        entry.waiting.splice(entry.waiting.indexOf(proceed), 1);
        resolve(false);
      };
      entry.waiting.push(proceed);
      signal.addEventListener("abort", cancel, { once: true });
    });
  }

  release(key: string): void {
    const entry = this.#keys.get(key);
    if (entry === undefined) return;
    const next = entry.waiting.shift();
    if (next !== undefined) next();
    else if (--entry.held === 0) this.#keys.delete(key);
  }
}
