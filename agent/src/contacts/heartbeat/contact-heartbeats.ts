import { createHash } from "node:crypto";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import { repeat, withDeadline } from "@realmwatch/shared/model/clock";
import type { AttemptResult } from "../../platform/outbound/delivery-result.ts";
import { cutTimeoutMs, fitsRight, whenRightFits } from "../../platform/right/right-gate.ts";
import { unlimitedRight } from "../../platform/right/right-to-act.ts";
import type { HeartbeatMessage } from "../contact-type.ts";
import type { DeliveryOptions } from "../delivery/delivery.ts";

export type ContactHeartbeatsOptions = Pick<DeliveryOptions, "clock" | "right" | "contacts" | "deadlineMsOf"> & {
  readonly realm: string;
  readonly version: string;
  /** Resolves with true when engine and journal work, with false when they fail, and never while they are stuck. */
  probe(): Promise<boolean>;
  /** Makes one attempt. Never rejects. */
  send(contact: ContactPlan, heartbeat: HeartbeatMessage, signal: AbortSignal): Promise<AttemptResult>;
  sent(contact: string, result: AttemptResult): void;
};

type Beat = { readonly intervalMs: number; readonly stop: () => void };

/**
 * [DL24] Sends heartbeats to the contacts that ask for them, the first one at once. Each is preceded by a probe of engine
 * and journal, so there are none while one of them is stuck. A heartbeat that fails is not repeated: the next one follows.
 */
export function openContactHeartbeats(options: ContactHeartbeatsOptions) {
  const beats = new Map<string, Beat>();

  function reload(): void {
    const contacts = options.contacts();
    for (const [name, { intervalMs, stop }] of beats) {
      if (contacts.get(name)?.heartbeatMs === intervalMs) continue;
      stop();
      beats.delete(name);
    }
    for (const { name, heartbeatMs } of contacts.values())
      if (heartbeatMs !== undefined && !beats.has(name)) beats.set(name, startBeat(name, heartbeatMs, options));
  }

  reload();
  return {
    /** Applies a changed configuration. */
    reload,
    close() {
      for (const { stop } of beats.values()) stop();
      beats.clear();
    },
  };
}

function startBeat(name: string, intervalMs: number, options: ContactHeartbeatsOptions): Beat {
  const stopping = new AbortController();
  let isBusy = false;

  function beat(): void {
    // While a probe or an attempt is pending, further ones would only pile up.
    if (isBusy) return;
    isBusy = true;
    void sendHeartbeat(name, options, stopping.signal).finally(() => {
      isBusy = false;
    });
  }

  const cancel = repeat(options.clock, intervalMs, beat);
  beat();
  return {
    intervalMs,
    stop() {
      cancel();
      stopping.abort();
    },
  };
}

async function sendHeartbeat(name: string, options: ContactHeartbeatsOptions, stopping: AbortSignal): Promise<void> {
  const { clock, realm, version, right = unlimitedRight } = options;
  const contactNow = (): ContactPlan | undefined => options.contacts().get(name);
  const deadlineMs = (): number => {
    const plan = contactNow();
    return plan === undefined ? 0 : options.deadlineMsOf(plan.type);
  };
  // The probe comes last, so that the heartbeat is as young as it says.
  do {
    if (!(await whenRightFits(right, deadlineMs(), stopping)) || !(await options.probe()) || stopping.aborted) return;
  } while (!fitsRight(right, deadlineMs()));
  const contact = contactNow();
  if (contact?.heartbeatMs === undefined) return;
  const atMs = clock.now();
  const heartbeat = { id: heartbeatId(realm, name, atMs), realm, version, atMs };
  const limit = { clock, ms: cutTimeoutMs(right, options.deadlineMsOf(contact.type)), signal: stopping };
  const result = await withDeadline(limit, (signal) => options.send(contact, heartbeat, signal));
  if (!stopping.aborted) options.sent(name, result);
}

const heartbeatId = (realm: string, contact: string, atMs: number): string =>
  `heartbeat-${createHash("sha256")
    .update(JSON.stringify([realm, contact, atMs]))
    .digest("hex")
    .slice(0, 32)}`;
