import type { ContactPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import { formatDuration } from "@realmwatch/shared/text/duration";
import { contactTypes } from "../contacts/contact-types.ts";
import { batchTimeoutMs } from "../sinks/sink-types.ts";

/** Timeout that a declaration asks for, ms; Infinity for one that has none. */
type AskedTimeout = { readonly what: string; readonly name: string; readonly timeoutMs: number };

function* askedTimeouts({ contacts, handlers, sinks }: RealmPlan): Iterable<AskedTimeout> {
  for (const { name, type } of contacts.values()) yield { what: "contact", name, timeoutMs: attemptMs(type) };
  for (const [name, { timeoutMs }] of handlers) yield { what: "handler", name, timeoutMs };
  for (const { name, type } of sinks) yield { what: "sink", name, timeoutMs: batchTimeoutMs(type) };
}

/** Longest duration of an attempt without the time that it may wait for a free slot, ms. */
function attemptMs(type: ContactPlan["type"]): number {
  const { deadlineMs, slotWaitMs = 0 } = contactTypes[type] as { readonly deadlineMs: number; slotWaitMs?: number };
  return deadlineMs - slotWaitMs;
}

/** [PA41] Sentences about the contacts, handlers and sinks whose timeouts a pair cuts; none for an agent without a pair. */
export const cutTimeoutWarnings = (plan: RealmPlan, longestActionMs: number): string[] =>
  [...askedTimeouts(plan)]
    .filter(({ timeoutMs }) => timeoutMs > longestActionMs)
    .map(
      ({ what, name, timeoutMs }) =>
        `${what} ${JSON.stringify(name)}: its timeout of ${formatDuration(timeoutMs)} is cut to ` +
        `${formatDuration(longestActionMs)}, the longest action of a pair with this -pair-lease`,
    );
