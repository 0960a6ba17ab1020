import { openRealmPublisher } from "@realmwatch/agent/publish/nats-publisher";
import { allProgramTogglesOn } from "@realmwatch/shared/model/toggles";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { blankMetadata } from "@realmwatch/shared/row/metadata-fields";
import { blankRow, type RowChange, type Row as StatusRow } from "@realmwatch/shared/row/row";
import { eventStream, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { NatsConnection } from "nats";
import type { BenchRow } from "./bench-row.ts";

const objects = 20_000;

const statusRow = (i: number, revision: number): StatusRow => ({
  ...blankRow,
  about: {
    ...blankMetadata,
    ...{ key: { kind: "service", host: `host${i}`, name: "http" }, labels: { env: "prod", team: "web" } },
    ...{ checkType: "http", zone: "default", notificationPeriod: "24x7" },
  },
  ...{ epoch: 1, revision, status: "critical", attempt: 3, maxAttempts: 3, lastHardStatus: "critical" },
  ...{ output: "connection refused after 10 s", lastCheckAtMs: 1e12, nextCheckAtMs: 1e12, overdueAtMs: 1e12 },
  ...{ lastChangeAtMs: 1e12, lastHardChangeAtMs: 1e12, latencyMs: 5, executionMs: 12, flapValue: 0.1 },
});

const put = (i: number, revision: number): RowChange => ({ kind: "put", row: statusRow(i, revision) });

/** Measures the publication of all rows at a start and of a change of all rows, to a broker on the same machine. */
export async function benchPublish(): Promise<BenchRow[]> {
  await using server = await startNatsServer();
  const log = { info() {}, warn() {}, error() {} };
  const bus = openNatsBus({ url: server.url, credsFile: "", name: "bench", clock: systemClock, log });
  const connection = await new Promise<NatsConnection>((resolve) => bus.onUp(resolve));
  await setUpStreams(await connection.jetstreamManager(), [stateStream, eventStream]);
  const all = Array.from({ length: objects }, (_, i) => put(i, 1));
  const startedMs = performance.now();
  const publisher = openRealmPublisher({
    ...{ bus, clock: systemClock, log, epoch: 1, onEpoch() {} },
    source: {
      ...{ realm: "bench", instance: "bench", previousInstance: "", version: "v0", lastHistorySeq: 0 },
      ...{ atStart: { history: 0, command: 0 }, restoredCopy: () => "" },
      onOlderCopy: async ({ seen }) => ({ ok: true, value: { lastHistorySeq: seen.history } }),
      allRows: () => all,
      catalog: () => ({
        ...{ realm: "", contacts: [], views: [], sinks: [], panels: [], slos: [] },
        toggles: allProgramTogglesOn,
      }),
      counts: () => ({ hosts: 0, services: objects, processes: 0, configHash: "" }),
      history: {
        historyAfter: async () => [],
        cursor: async () => 0,
        setCursor: async () => {},
        lastCommandSeq: () => 0,
      },
    },
  });
  publisher.start();
  const until = async (done: () => boolean): Promise<number> => {
    while (!done()) await new Promise((resolve) => setTimeout(resolve, 1));
    return performance.now();
  };
  const firstMs = (await until(() => publisher.state().complete)) - startedMs;
  const changedAtMs = performance.now();
  publisher.rows(all.map((_, i) => ({ change: put(i, 2), urgent: true })));
  const changedMs = (await until(() => publisher.state().waitingRows === 0)) - changedAtMs;
  await publisher.close();
  await bus.close();
  return [
    { name: "first publication", rate: (objects / firstMs) * 1_000, unit: "rows/s", note: "JetStream on file, acked" },
    { name: "urgent changes", rate: (objects / changedMs) * 1_000, unit: "rows/s", note: "at most 192 in flight" },
  ];
}
