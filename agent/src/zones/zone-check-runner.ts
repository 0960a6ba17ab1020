import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { never } from "@realmwatch/shared/model/never";
import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { showDuration } from "@realmwatch/shared/text/duration";
import { checkSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { type CheckOfferContext, createCheckOffer } from "./check-offer.ts";
import { type OfferResult, offerOnce } from "./offer-once.ts";
import { encodeZoneMessage } from "./zone-message.ts";

/** How an offered check ended: the values of a metric's label. */
export type ZoneCheckResult = OfferResult["kind"] | "interrupted";

export type ZoneCheckOptions = {
  /** Undefined before the agent is connected to anything. */
  bus(): NatsBus | undefined;
  readonly clock: Clock;
  readonly realm: string;
  /** The agent is about to end: what waits is given up. */
  readonly signal: AbortSignal;
  ended(zone: string, how: ZoneCheckResult): void;
};

/** `source`: the worker that did it. `waitedMs`: how long nobody took it. */
export type ZoneCheckRun = Outcome & {
  readonly executionMs: number;
  readonly source?: string;
  readonly waitedMs?: number;
};

/** Offers `attempt` (from 0) follows the one before by this, ms: two at once, as another worker may have a place. */
const pauseMs = (attempt: number): number => (attempt < 2 ? 0 : Math.min(1000, 25 * 2 ** Math.min(attempt, 10)));

/**
 * [ZO1] Makes what runs checks of other zones: each is offered to the zone's workers until one takes it. Where none
 * does within the check's timeout, or the one that did does not answer within the timeout and a little more, it is
 * unknown. Never rejects.
 */
export function createZoneCheckRunner(
  options: ZoneCheckOptions,
): (plan: HostPlan | ServicePlan, around: CheckOfferContext) => Promise<ZoneCheckRun> {
  const { clock, ended, signal } = options;
  return async (plan, around) => {
    const { zone } = plan.about;
    const startedMs = clock.monotonic();
    const elapsedMs = (): number => clock.monotonic() - startedMs;
    const end = (how: ZoneCheckResult, output: string): ZoneCheckRun => {
      ended(zone, how);
      return { ...outcome("unknown", output), executionMs: elapsedMs() };
    };
    if (plan.check.type === "passive") return end("failed", "a passive check is never run");
    const { timeoutMs } = plan.schedule;
    const subject = checkSubject(options.realm, zone);
    const data = encodeZoneMessage(createCheckOffer(plan, plan.check, around));
    for (let attempt = 1; ; attempt += 1) {
      const waitedMs = elapsedMs();
      const offered = await offerOnce({ bus: options.bus(), clock, subject, data, timeoutMs, signal });
      if (signal.aborted) return end("interrupted", `the check was interrupted before zone ${show(zone)} answered`);
      switch (offered.kind) {
        case "done":
          ended(zone, "done");
          return { ...offered.outcome, executionMs: offered.executionMs, source: offered.worker, waitedMs };
        case "no_answer":
          return end("no_answer", noAnswer(zone, offered));
        case "failed":
          return end("failed", `zone ${show(zone)}: ${offered.why}`);
        case "not_taken": {
          const leftMs = timeoutMs - elapsedMs();
          if (leftMs > 0) await sleep(clock, Math.min(pauseMs(attempt), leftMs), signal);
          else return end("not_taken", notTaken(zone, offered.why, timeoutMs));
          break;
        }
        default:
          return never(offered);
      }
    }
  };
}

const show = (zone: string): string => JSON.stringify(zone);

const noAnswer = (zone: string, { worker, afterMs }: Extract<OfferResult, { kind: "no_answer" }>): string =>
  `worker ${worker} of zone ${show(zone)} took the check and did not answer within ${showDuration(afterMs)}`;

const notTaken = (zone: string, why: string, timeoutMs: number): string =>
  `no worker of zone ${show(zone)} took the check within ${showDuration(timeoutMs)}: ${why}`;
