import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SinkPlan } from "@realmwatch/shared/config/plan";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { allowAllOutbound, type OutboundPolicy } from "@realmwatch/shared/platform/network/outbound-policy";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { openNameResolver } from "../platform/dns/name-resolver.ts";
import { inheritedEnvironment } from "../platform/programs/program-environment.ts";
import type { RightToAct } from "../platform/right/right-to-act.ts";
import type { SinkStatus } from "./runner/sink-health.ts";
import type { SinkObject } from "./sink-type.ts";
import { SinkHost } from "./thread/sink-host.ts";
import type { SamplesMessage, SinkThreadReport } from "./thread/sink-protocol.ts";
import { openSinkHttpClient } from "./transport/sink-http-client.ts";

export function sinkFolder(scope: TestScope): string {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-sinks-"));
  atEnd(scope, () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const common = { input: "metrics", selector: "", batchSize: 1_000, flushIntervalMs: 20 } as const;

type Given = { readonly name: string; readonly type: SinkPlan["type"] } & Readonly<Record<string, unknown>>;
type GivenMore = Readonly<Record<string, unknown>>;

/** Plan of a sink with defaults for the common fields. */
export const sinkPlanOf = (own: Given): SinkPlan => ({ ...common, ...own }) as unknown as SinkPlan;

export const fileSink = (name: string, path: string, more: GivenMore = {}): SinkPlan =>
  sinkPlanOf({ name, type: "file", path, rotateBytes: 67_108_864, cursor: "", ...more });
export const httpSink = (name: string, url: string, more: GivenMore = {}): SinkPlan =>
  sinkPlanOf({ name, type: "http", url, headers: {}, cursor: "", ...more });

type TestSinkHost = {
  readonly reports: readonly SinkThreadReport[];
  configure(...sinks: SinkPlan[]): Promise<void>;
  /** Submits one point with this value for the service `web1!job`. */
  point(value: number, more?: { readonly host?: string; readonly uom?: string; readonly warn?: string }): void;
  /** Submits a result without performance data for the service `web1!job`. */
  noPoint(): void;
  /** Adds history records. */
  event(...outputs: string[]): void;
  reopen(): void;
  status(name: string): SinkStatus | undefined;
  untilStatus(label: string, name: string, condition: (status: SinkStatus) => boolean): Promise<SinkStatus>;
  stop(graceMs?: number): Promise<void>;
};

type TestSinkHostOptions = {
  readonly dataDir: string;
  readonly history?: HistoryRecord[];
  readonly outbound?: OutboundPolicy;
  readonly extraAuthorities?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly maxLogBytes?: number;
  /** Makes it the host of a pair's member. */
  readonly right?: RightToAct;
  /** Values of points of the commands 1, 2, … before the start, for the service `web1!job`. */
  readonly recovered?: readonly number[];
};

/** Runs the sinks in this thread. Points get ascending times. */
export function openTestSinkHost(scope: TestScope, options: TestSinkHostOptions): TestSinkHost {
  const {
    dataDir,
    history = [],
    outbound = allowAllOutbound,
    extraAuthorities,
    env = {},
    maxLogBytes,
    recovered = [],
    right,
  } = options;
  const clock = systemClock;
  const reports: SinkThreadReport[] = [];
  const hosts: string[] = [];
  let statuses: readonly SinkStatus[] = [];
  let configured = 0;
  let stopped = false;
  let lastMs = clock.now();
  const host = new SinkHost({
    dependencies: {
      clock,
      random: () => 0,
      realm: "fra",
      env,
      programEnv: inheritedEnvironment(process.env).variables,
      programMark: `${idGenerator(clock)()}.`,
      http: openSinkHttpClient({ clock, resolver: openNameResolver({ clock, outbound }), extraAuthorities }),
    },
    dataDir,
    lastHistorySeq: history.at(-1)?.seq ?? 0,
    readAfter: (seq, limit) => history.filter((record) => record.seq > seq).slice(0, limit),
    report(posted) {
      // As between threads.
      const report = structuredClone(posted);
      reports.push(report);
      if (report.kind === "status") statuses = report.sinks;
      if (report.kind === "configured") configured += 1;
      if (report.kind === "stopped") stopped = true;
      if (report.kind === "right_wanted" && right !== undefined) {
        const message = { kind: "right", remainingMs: right.remainingMs() } as const;
        setImmediate(() => host.receive(message));
      }
    },
    maxLogBytes,
    longestActionMs: right?.longestActionMs,
  });
  atEnd(scope, right?.onGained(() => host.receive({ kind: "right_gained" })) ?? (() => {}));

  function send(name: string, perfdata: readonly object[]): void {
    const known = hosts.indexOf(name);
    const number = known < 0 ? hosts.push(name) - 1 : known;
    const key = { kind: "service", host: name, name: "job" } as const;
    const object = { key, labels: { app: name }, zone: "default", checkType: "passive", parents: [] };
    lastMs = Math.max(lastMs + 1, clock.now());
    const json = JSON.stringify([[number, lastMs, perfdata]]);
    const objects: [number, SinkObject][] = known < 0 ? [[number, object]] : [];
    host.receive({ kind: "samples", json, points: perfdata.length, objects, commandSeq: 0 });
  }

  /** Numbers of objects that samples after the start do not use. */
  const recoveredObject = 1_000_000;
  const recoveredMessages = (): SamplesMessage[] =>
    recovered.map((value, at) => ({
      kind: "samples",
      json: JSON.stringify([[recoveredObject, lastMs, [{ label: "n", value, uom: "", warn: "", crit: "" }]]]),
      points: 0,
      objects: [
        [
          recoveredObject,
          {
            key: { kind: "service", host: "web1", name: "job" },
            labels: {},
            zone: "default",
            checkType: "passive",
            parents: [],
          },
        ],
      ],
      commandSeq: at + 1,
    }));

  const stop = async (graceMs = 5_000): Promise<void> => {
    if (stopped) return;
    host.receive({ kind: "stop", graceMs });
    await until("the sinks have stopped", () => stopped);
  };
  atEnd(scope, () => stop(100));

  return {
    reports,
    async configure(...sinks) {
      const before = configured;
      host.receive({
        kind: "configure",
        sinks,
        needsObjects: false,
        firstObject: 0,
        recovered: configured === 0 ? recoveredMessages() : [],
      });
      await until("the sinks are configured", () => configured > before);
    },
    point: (value, { host: name = "web1", uom = "", warn = "" } = {}) =>
      send(name, [{ label: "n", value, uom, warn, crit: "" }]),
    noPoint: () => send("web1", []),
    event(...outputs) {
      for (const output of outputs) {
        const seq = (history.at(-1)?.seq ?? 0) + 1;
        const key = { kind: "service", host: "web1", name: "job" } as const;
        history.push({ seq, realm: "", atMs: clock.now(), type: "state", key, status: "critical", output });
      }
      host.receive({ kind: "history", lastSeq: history.at(-1)?.seq ?? 0 });
    },
    reopen: () => host.receive({ kind: "reopen" }),
    status: (name) => statuses.find((status) => status.name === name),
    untilStatus: (label, name, condition) =>
      until(
        label,
        () => {
          const status = statuses.find((one) => one.name === name);
          return status !== undefined && condition(status) ? status : undefined;
        },
        { seen: () => statuses },
      ),
    stop,
  };
}

type SinkReceiver = {
  readonly url: string;
  /** Bodies of the requests that were answered with a success. */
  readonly bodies: string[];
  /** Values of the points in them, in the order of arrival. */
  values(): number[];
};

/** HTTP server on a free port. `respond` returns the status of the response to each request; by default 200. */
export async function openSinkReceiver(
  scope: TestScope,
  respond: (body: string) => number | { readonly status: number; readonly headers: Record<string, string> } = () => 200,
  tls?: { readonly key: string; readonly cert: string },
): Promise<SinkReceiver> {
  const bodies: string[] = [];
  const listener: RequestListener = async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const answer = respond(body);
    const { status, headers } = typeof answer === "number" ? { status: answer, headers: {} } : answer;
    if (status < 300) bodies.push(body);
    response.writeHead(status, headers).end();
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(scope, () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    bodies,
    values: () => valuesOfLines(bodies.join("")),
  };
}

/** Values of the points in lines of JSON. */
export const valuesOfLines = (text: string): number[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Number((JSON.parse(line) as { value: number }).value));
