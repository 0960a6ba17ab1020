import type { Clock } from "@realmwatch/shared/model/clock";
import type { Notification } from "@realmwatch/shared/model/notification";
import { chance } from "@realmwatch/shared/platform/random";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { contactLog } from "./contacts/delivery/contact-log.ts";
import { contactMetrics } from "./contacts/delivery/contact-metrics.ts";
import { joinHooks } from "./contacts/delivery/delivery-hooks.ts";
import { type Dispatcher, openDispatcher } from "./contacts/dispatcher.ts";
import type { AgentFlags } from "./flags.ts";
import { openHandlerQueue } from "./handlers/handler-queue.ts";
import { openProgramPool } from "./platform/programs/program-pool.ts";
import { openNameResolver } from "./platform/dns/name-resolver.ts";
import type { HandlerCall } from "./realm/handler-call.ts";
import type { OpenRealm } from "./realm/open-realm.ts";
import type { RunCheck } from "./realm/start-check.ts";

type OutgoingParts = {
  readonly flags: AgentFlags;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Asked for with each message, because there is none before the journal was read. */
  open(): OpenRealm;
  readonly run: RunCheck;
};

/** What leaves the agent for people and programs: notifications and event handlers. */
export type Outgoing = {
  notify(notifications: readonly Notification[]): void;
  handle(calls: readonly HandlerCall[]): void;
  /** The configuration is another one now. */
  reload(): void;
  close(graceMs: number): Promise<void>;
};

/** Programs that contacts run at the same time; checks have places of their own, so that neither waits for the other. */
const maxPrograms = 16;

export function openOutgoing({ flags, clock, log, metrics, open, run }: OutgoingParts): Outgoing {
  const programs = openProgramPool({ clock, concurrency: maxPrograms, helpers: 1 });
  const plan = () => open().realm.plan;
  const dispatcher: Dispatcher = openDispatcher({
    clock,
    chance,
    realm: flags.realm,
    publicUrl: flags.publicUrl,
    settings: flags,
    programs,
    resolver: openNameResolver({ clock }),
    contacts: () => plan().contacts,
    commands: () => plan().commands,
    resources: () => plan().resources,
    ended: (ends) => open().loop.deliveriesEnded(ends),
    hooks: joinHooks(
      contactMetrics(metrics, () => dispatcher.health()),
      contactLog(log),
    ),
  });
  const handlers = openHandlerQueue({
    handler: (name) => plan().handlers.get(name),
    run: ({ plan: object, host, macros, handler }) => {
      const schedule = { ...object.schedule, timeoutMs: handler.timeoutMs };
      return run({ ...object, check: handler.run, schedule }, { host, macro: (name) => macros[name] });
    },
    ended: (end) => open().loop.handlerEnded(end),
  });
  metrics.reading("handlers_waiting", "Event handlers that wait or run.", () => handlers.waiting);
  return {
    notify: (notifications) => dispatcher.take(notifications),
    handle: (calls) => handlers.take(calls),
    reload: () => dispatcher.reload(),
    async close(graceMs) {
      handlers.close();
      await dispatcher.close(graceMs);
      await programs.close();
    },
  };
}
