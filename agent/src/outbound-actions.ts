import type { Clock } from "@realmwatch/shared/model/clock";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { systemRandom } from "@realmwatch/shared/platform/random";
import { contactLog } from "./contacts/delivery/contact-log.ts";
import { contactMetrics } from "./contacts/delivery/contact-metrics.ts";
import { combineDeliveryHooks } from "./contacts/delivery/delivery-hooks.ts";
import { type Dispatcher, openDispatcher } from "./contacts/dispatcher.ts";
import type { AgentFlags } from "./flags.ts";
import { openHandlerQueue } from "./handlers/handler-queue.ts";
import { openNameResolver } from "./platform/dns/name-resolver.ts";
import { openProgramPool } from "./platform/programs/program-pool.ts";
import type { OpenRealm } from "./realm/open-realm.ts";
import type { HandlerCall } from "./realm/outputs/handler-call.ts";
import type { RunCheck } from "./realm/schedule/check-starter.ts";

type OutboundOptions = {
  readonly flags: AgentFlags;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly open: Pick<OpenRealm, "realm" | "loop">;
  readonly run: RunCheck;
};

/** Notifications and event handlers on their way out of the agent. */
export type OutboundActions = {
  notify(notifications: readonly Notification[]): void;
  handle(calls: readonly HandlerCall[]): void;
  /** Applies a changed configuration. */
  reload(): void;
  close(graceMs: number): Promise<void>;
};

/**
 * Highest number of programs that contacts run at the same time. Checks have a pool of their own, so that neither waits
 * for the other.
 */
const maxPrograms = 16;

export function openOutboundActions({ flags, clock, log, metrics, open, run }: OutboundOptions): OutboundActions {
  const programs = openProgramPool({ clock, concurrency: maxPrograms, helpers: 1 });
  const plan = () => open.realm.plan;
  const dispatcher: Dispatcher = openDispatcher({
    clock,
    random: systemRandom,
    realm: flags.realm,
    publicUrl: flags.publicUrl,
    settings: flags,
    programs,
    resolver: openNameResolver({ clock }),
    contacts: () => plan().contacts,
    commands: () => plan().commands,
    resources: () => plan().resources,
    ended: (ends) => open.loop.deliveriesEnded(ends),
    hooks: combineDeliveryHooks(
      contactMetrics(metrics, () => dispatcher.health()),
      contactLog(log),
    ),
  });
  const handlers = openHandlerQueue({
    handler: (name) => plan().handlers.get(name),
    run: ({ plan: object, host, macros, handler }) => {
      const schedule = { ...object.schedule, timeoutMs: handler.timeoutMs };
      return run({ ...object, check: handler.run, schedule }, { realm: plan(), host, macro: (name) => macros[name] });
    },
    ended: (end) => open.loop.handlerEnded(end),
  });
  metrics.observableGauge("handlers_waiting", "Event handlers that wait or run.", () => handlers.waiting);
  return {
    notify: (notifications) => dispatcher.enqueue(notifications),
    handle: (calls) => handlers.enqueue(calls),
    reload: () => dispatcher.reload(),
    async close(graceMs) {
      handlers.close();
      await dispatcher.close(graceMs);
      await programs.close();
    },
  };
}
