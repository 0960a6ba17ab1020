import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { sleep } from "@realmwatch/shared/model/clock";
import { never } from "@realmwatch/shared/model/never";
import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import { backoffMs } from "@realmwatch/shared/platform/backoff";
import { formatDuration } from "@realmwatch/shared/text/duration";
import { checkSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { type CheckOfferContext, createCheckOffer } from "./check-offer.ts";
import { type OfferRequest, type OfferResult, offerOnce } from "./offer-once.ts";
import { encodeZoneMessage } from "./zone-message.ts";

/** End of an offered check; values of a metric label. */
export type ZoneCheckResult = OfferResult["kind"] | "interrupted";

type ZoneCheckOptions = Omit<OfferRequest, "subject" | "data" | "timeoutMs" | "signal"> & {
  readonly realm: string;
  /** Aborts when the agent stops: waiting checks are interrupted. */
  readonly signal: AbortSignal;
  ended(zone: string, result: ZoneCheckResult): void;
};

/** Outcome of a check in a zone. `source`: the worker that ran it. `waitedMs`: time until a worker took it. */
type ZoneCheckRun = Outcome & {
  readonly executionMs: number;
  readonly source?: string;
  readonly waitedMs?: number;
};

const pauseBounds = { firstMs: 100, longestMs: 1_000 };
/** Pause before offer `attempt` (from 0), ms: none before the first two, as another worker may have a free slot. */
const pauseMs = (attempt: number): number => (attempt < 2 ? 0 : backoffMs(pauseBounds, attempt - 1));

/**
 * [ZO1] Returns a function that runs checks of other zones: it offers a check to the zone's workers until one takes it.
 * The outcome is unknown when none takes it within the check's timeout, or the worker does not answer within the timeout
 * and one second. Never rejects.
 */
export function createZoneCheckRunner(
  options: ZoneCheckOptions,
): (plan: HostPlan | ServicePlan, context: CheckOfferContext) => Promise<ZoneCheckRun> {
  const { clock, ended, signal, insecure, epoch } = options;
  return async (plan, context) => {
    const { zone } = plan.about;
    const startedMs = clock.monotonic();
    const elapsedMs = (): number => clock.monotonic() - startedMs;
    const end = (result: ZoneCheckResult, output: string): ZoneCheckRun => {
      ended(zone, result);
      return { ...outcome("unknown", output), executionMs: elapsedMs() };
    };
    if (plan.check.type === "passive") return end("failed", "a passive check cannot be run");
    const { timeoutMs } = plan.schedule;
    const subject = checkSubject(options.realm, zone);
    const data = encodeZoneMessage({
      ...createCheckOffer(plan, plan.check, context),
      ...(epoch === undefined ? {} : { epoch }),
    });
    for (let attempt = 1; ; attempt += 1) {
      const waitedMs = elapsedMs();
      const offered = await offerOnce({ bus: options.bus, clock, subject, data, epoch, timeoutMs, signal, insecure });
      if (signal.aborted) return end("interrupted", `the check was interrupted before zone ${quote(zone)} answered`);
      switch (offered.kind) {
        case "done":
          ended(zone, "done");
          return { ...offered.outcome, executionMs: offered.executionMs, source: offered.worker, waitedMs };
        case "no_answer":
          return end("no_answer", noAnswer(zone, offered));
        case "failed":
          return end("failed", `zone ${quote(zone)}: ${offered.why}`);
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

const quote = (zone: string): string => JSON.stringify(zone);

const noAnswer = (zone: string, { worker, afterMs }: Extract<OfferResult, { kind: "no_answer" }>): string =>
  `worker ${worker} of zone ${quote(zone)} took the check and did not answer within ${formatDuration(afterMs)}`;

const notTaken = (zone: string, why: string, timeoutMs: number): string =>
  `no worker of zone ${quote(zone)} took the check within ${formatDuration(timeoutMs)}: ${why}`;
