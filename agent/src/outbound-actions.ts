import { outboundPolicyOf } from "@realmwatch/shared/api/program-flags";
import { signProblemLink } from "@realmwatch/shared/identity/problem-link";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Notification } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import { version } from "@realmwatch/shared/model/version";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { systemRandom } from "@realmwatch/shared/platform/random";
import { markedNotification } from "./contacts/contact-message.ts";
import { contactMetrics, heartbeatMetrics, registerContactFailing } from "./contacts/delivery/contact-metrics.ts";
import { notificationLog } from "./contacts/delivery/notification-log.ts";
import { type Dispatcher, type DispatcherOptions, openDispatcher } from "./contacts/dispatcher.ts";
import type { AgentFlags } from "./flags.ts";
import { type HandlerCall, openHandlerQueue } from "./handlers/handler-queue.ts";
import { openNameResolver } from "./platform/dns/name-resolver.ts";
import type { AttemptResult } from "./platform/outbound/delivery-result.ts";
import { openProgramPool } from "./platform/programs/program-pool.ts";
import { whileRightLasts } from "./platform/right/right-gate.ts";
import { type RightToAct, unlimitedRight } from "./platform/right/right-to-act.ts";
import type { RecoveredRealm } from "./realm/open-realm.ts";
import type { RunCheck } from "./realm/schedule/check-starter.ts";

type OutboundOptions = {
  readonly flags: AgentFlags;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly recovered: Pick<RecoveredRealm, "realm" | "inputs">;
  readonly run: RunCheck;
  /** Right of a member of a pair; undefined for an agent without one. */
  readonly right: RightToAct | undefined;
};

/** Notifications and event handlers on their way out of the agent. */
export type OutboundActions = ReturnType<typeof openOutboundActions>;

/**
 * Highest number of programs that contacts run at the same time. Checks have a pool of their own, so that neither waits
 * for the other.
 */
const maxPrograms = 16;

export function openOutboundActions(options: OutboundOptions) {
  const { clock, log, metrics, recovered, right } = options;
  const { realm, inputs } = recovered;
  const programs = openProgramPool({ clock, concurrency: maxPrograms, helpers: 1 });
  const logged = notificationLog(log);
  const dispatcher = openContactDispatcher(options, { programs, logged });
  registerContactFailing(metrics, () =>
    [...realm.plan.contacts.keys()].map((contact) => ({ contact, ...realm.contactDeliveries.of(contact) })),
  );
  const countHeartbeat = heartbeatMetrics(metrics);
  const handlers = openHandlers(options);
  metrics.observableGauges({
    handlers_waiting: ["Event handlers that wait or run.", () => handlers.waiting],
  });
  const sent = (contact: string, result: AttemptResult): void => {
    countHeartbeat(contact, result);
    logged.heartbeat(contact, result);
  };
  const notify = (notifications: readonly Notification[]): void => {
    logged.queued(notifications);
    dispatcher.enqueue(notifications);
  };
  return {
    /** Begins to send heartbeats; to be called once the agent is ready. */
    startHeartbeats: () => dispatcher.startHeartbeats({ version, probe: () => inputs.probe(), sent }),
    notify,
    /**
     * Delivers notifications of the journal that have no outcome. [PA43] In a pair each is marked: it is unknown which of
     * them the process before, or the other member, began to deliver.
     */
    resume: (notifications: readonly Notification[]) =>
      notify(right === undefined ? notifications : notifications.map(markedNotification)),
    handle: (calls: readonly HandlerCall[]) => handlers.enqueue(calls),
    /** Applies a changed configuration. */
    reload: () => dispatcher.reload(),
    async close(graceMs: number) {
      const unfinished = handlers.close();
      if (unfinished.length > 0)
        log.warn({ objects: unfinished }, "event handlers of these objects did not end and are not run again");
      await dispatcher.close(graceMs);
      await programs.close();
    },
  };
}

type DispatcherParts = Pick<DispatcherOptions, "programs"> & { readonly logged: ReturnType<typeof notificationLog> };

/** Opens the dispatcher, whose attempts and outcomes are logged, counted and passed to the realm. */
function openContactDispatcher(options: OutboundOptions, { programs, logged }: DispatcherParts): Dispatcher {
  const { flags, clock, metrics, recovered, right } = options;
  const { realm, inputs } = recovered;
  const counted = contactMetrics(metrics, () => dispatcher.health());
  const dispatcher: Dispatcher = openDispatcher({
    clock,
    ...{ right, marksDuplicates: right !== undefined },
    random: systemRandom,
    realm: flags.realm,
    publicUrl: flags.publicUrl,
    ...linkSigner(flags),
    settings: flags,
    programs,
    resolver: openNameResolver({ clock, outbound: outboundPolicyOf(flags, { demo: flags.configProfile === "demo" }) }),
    contacts: () => realm.plan.contacts,
    commands: () => realm.plan.commands,
    resources: () => realm.plan.resources,
    ended(ends) {
      logged.ended(ends);
      return inputs.deliveriesEnded(ends);
    },
    attemptsFailed: (attempts) => inputs.attemptsFailed(attempts),
    overdue(notifications) {
      logged.overdue(notifications);
      inputs.deliveriesOverdue(notifications);
    },
    hooks: {
      attempted(contact, result, tookMs) {
        counted.attempted(contact, result, tookMs);
        logged.attempted(contact, result);
      },
      ended: counted.ended,
    },
  });
  return dispatcher;
}

function openHandlers({ recovered: { realm, inputs }, run, clock, right = unlimitedRight }: OutboundOptions) {
  return openHandlerQueue({
    right,
    handler: (name) => realm.plan.handlers.get(name),
    run: ({ plan: object, host, macros, handler }) => {
      const schedule = { ...object.schedule, timeoutMs: handler.timeoutMs };
      const target = { realm: realm.plan, host, macro: (name: string) => macros[name] };
      // The program of a handler may wait for a free slot, which does not count towards its timeout.
      return whileRightLasts(right, clock, (signal) =>
        run({ ...object, check: handler.run, schedule }, { ...target, signal }),
      );
    },
    ended: (end) => inputs.handlerEnded(end),
  });
}

/** [DL31] Signer of links in messages; none without a dashboard or without sessions that outlive the process. */
function linkSigner({ realm, publicUrl, authConfig, sessionSecret }: AgentFlags): Pick<DispatcherOptions, "signLinks"> {
  if (publicUrl === undefined || authConfig === undefined || sessionSecret === undefined) return {};
  const secret = Buffer.from(sessionSecret.reveal());
  return {
    async signLinks(notifications) {
      const signOne = async ({ id, key, problemId, atMs }: Notification): Promise<[string, string]> => [
        id,
        await signProblemLink({ realm, ref: refOf(key), problemId, atMs }, secret),
      ];
      return new Map(await Promise.all(notifications.map(signOne)));
    },
  };
}
