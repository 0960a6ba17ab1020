import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openDispatcher } from "@realmwatch/agent/contacts/dispatcher";
import { problemNotification } from "@realmwatch/agent/contacts/notification.fixture";
import { openNameResolver } from "@realmwatch/agent/platform/dns/name-resolver";
import { openProgramPool } from "@realmwatch/agent/platform/programs/program-pool";
import { systemRandom } from "@realmwatch/shared/platform/random";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { BenchRow } from "./bench-row.ts";

const count = 10_000;

/** Measures 10 000 notifications to a fast webhook receiver: one by one, and as digests. */
export async function benchContacts(): Promise<BenchRow[]> {
  const single = await deliverAll(0);
  const digests = await deliverAll(1);
  return [
    { name: "webhook", rate: single, unit: "notif./s" },
    { name: "webhook, digests", rate: digests, unit: "notif./s", against: "webhook" },
  ];
}

async function deliverAll(groupWaitMs: number): Promise<number> {
  const server = createServer((request, response) => request.resume().on("end", () => response.end("ok")));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const plan = { name: "ann", labels: {}, notificationPeriod: "", type: "webhook", groupWaitMs } as const;
  const clock = systemClock;
  const programs = openProgramPool({ clock });
  let left = count;
  let done = (): void => {};
  const finished = new Promise<void>((resolve) => {
    done = resolve;
  });
  const dispatcher = openDispatcher({
    clock,
    random: systemRandom,
    realm: "bench",
    publicUrl: "https://mon.example.org",
    settings: {
      smtpUrl: undefined,
      smtpFrom: undefined,
      smtpPassword: undefined,
      messengerToken: undefined,
      incidentToken: undefined,
      messengerUrl: undefined,
      pagerUrl: undefined,
      incidentUrl: undefined,
    },
    programs,
    resolver: openNameResolver({ clock }),
    contacts: () => new Map([["ann", { ...plan, url: `http://127.0.0.1:${port}/` }]]),
    commands: () => ({}),
    resources: () => ({}),
    async ended(ends) {
      for (const { outcome, detail } of ends) if (outcome !== "delivered") throw new Error(detail);
      left -= ends.length;
      if (left === 0) done();
    },
    attemptsFailed: () => {},
    overdue: () => {},
    hooks: { attempted: () => {}, ended: () => {} },
  });
  const startedMs = clock.monotonic();
  const perObject = 4;
  dispatcher.enqueue(
    Array.from({ length: count }, (_, at) =>
      problemNotification({ id: `n${at}`, key: { kind: "host", name: `h${Math.floor(at / perObject)}` } }),
    ),
  );
  await finished;
  const tookS = (clock.monotonic() - startedMs) / 1_000;
  await dispatcher.close(0);
  await programs.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return count / tookS;
}
