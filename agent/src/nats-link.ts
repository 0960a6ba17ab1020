import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { countObjects } from "@realmwatch/shared/config/plan-catalog";
import { version } from "@realmwatch/shared/model/version";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { PortServer } from "@realmwatch/shared/platform/http/port-server";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { AgentFlags } from "./flags.ts";
import type { Journal } from "./journal/journal.ts";
import { openRealmPublisher, type PublisherState, type RealmPublisher } from "./publish/nats-publisher.ts";
import { publishMetrics } from "./publish/publish-metrics.ts";
import { serveRpcOverNats } from "./publish/rpc-over-nats.ts";
import type { OpenRealm } from "./realm/open-realm.ts";
import { realmCatalog } from "./realm/outputs/realm-catalog.ts";

type NatsLinkOptions = {
  readonly flags: AgentFlags;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly open: OpenRealm;
  readonly journal: Journal;
  readonly epoch: number;
  readonly lastHistorySeq: number;
  readonly door: PortServer;
};

/** Publishes the realm over NATS and answers its calls; undefined without `-nats-url`. */
export function openNatsLink(
  parts: NatsLinkOptions,
): { readonly publisher: RealmPublisher; readonly bus: NatsBus; close(): Promise<void> } | undefined {
  const { flags, log, metrics, open, journal, epoch, lastHistorySeq, door } = parts;
  if (flags.natsUrl === undefined) return undefined;
  const clock = systemClock;
  const { realm } = flags;
  const bus = openNatsBus({
    url: flags.natsUrl.reveal(),
    credsFile: flags.natsCreds ?? "",
    name: `realmwatch-agent ${realm}`,
    clock,
    log,
  });
  let counted: RealmPlan | undefined;
  let counts = { hosts: 0, services: 0, processes: 0, configHash: "" };
  const countsNow = () => {
    const { plan } = open.realm;
    if (plan === counted) return counts;
    const { host: hosts, service: services, process: processes } = countObjects(plan);
    [counted, counts] = [plan, { hosts, services, processes, configHash: plan.hash }];
    return counts;
  };
  const publisher = openRealmPublisher({
    bus,
    clock,
    log,
    epoch,
    source: {
      realm,
      instance: idGenerator(clock)(),
      version,
      allRows: () => open.loop.allRows(),
      catalog: () => realmCatalog(open.realm),
      counts: countsNow,
      history: journal,
      lastHistorySeq,
    },
    onEpoch(greater) {
      open.loop.renumber(greater);
      void journal.keepEpoch(greater);
    },
  });
  publishMetrics(metrics, { clock, connected: () => bus.live() !== undefined, state: () => publisher.state() });
  const stopCalls = serveRpcOverNats({
    bus,
    clock,
    log,
    realm,
    answer: ({ method, authorization, requestId, timeoutMs, body }) =>
      door.dispatch({
        path: `/${method}`,
        headers: {
          ...(authorization === "" ? {} : { authorization }),
          ...(requestId === "" ? {} : { "x-request-id": requestId }),
        },
        timeoutMs,
        peer: "nats",
        body,
      }),
  });
  return {
    publisher,
    bus,
    async close() {
      stopCalls();
      await publisher.close();
      await bus.close();
    },
  };
}

/** NATS on the readiness page. It is not needed: an agent works without it and stays ready. */
export function natsDependency({ error, waitingRows, waitingEvents }: PublisherState): DependencyStatus {
  const detail = error === "" ? "connected" : `${error}; ${waitingRows} rows and ${waitingEvents} events wait`;
  return { name: "nats", ok: error === "", needed: false, detail };
}
