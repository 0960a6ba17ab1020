import type { TestContext } from "node:test";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type Heartbeat,
  HeartbeatReplySchema,
  HeartbeatSchema,
  type RealmCatalog,
  RealmCatalogSchema,
  RealmEpochSchema,
  RealmEventSchema,
  StateRowSchema,
} from "@realmwatch/proto/svc/v1/state_pb";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type SpawnedServer, startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import type { Row, RowChange } from "@realmwatch/shared/row/row";
import { emptyCatalog } from "@realmwatch/shared/wire/catalog-parts";
import {
  type CatalogKind,
  catalogPartSubject,
  epochSubject,
  eventStream,
  heartbeatSubject,
  realmInboxPrefix,
  stateStream,
  stateSubject,
} from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect, NatsError } from "nats";
import { openRealmPublisher, type PublisherOptions } from "./nats-publisher.ts";

export const hostKey = (name: string) => ({ kind: "host", name }) as const;

const row = (name: string, revision: number, more: Partial<Row> = {}): Row =>
  rowFor("", name, { epoch: 0, revision, ...more });

/** A realm without checks, whose rows and history the test changes. `cursor` outlives a publisher, as in a journal. */
export function realmOf(names: readonly string[]) {
  const rows = new Map(names.map((name) => [name, row(name, 1)]));
  const history: HistoryRecord[] = [];
  const realm = {
    epoch: 1_000,
    revision: 1,
    cursor: 0,
    commands: 0,
    rows,
    history,
    catalog: {
      ...emptyCatalog(""),
      views: [{ name: "all", selector: "", description: "", saved: false, author: "" }],
    } as Catalog,
    record: (text: string) =>
      void history.push({ seq: history.length + 1, realm: "", atMs: 5, type: "state", output: text }),
    change(name: string, output: string): RowChange {
      const next = row(name, ++realm.revision, { output, epoch: realm.epoch });
      rows.set(name, next);
      return { kind: "put", row: next };
    },
    remove(name: string): RowChange {
      rows.delete(name);
      return { kind: "drop", realm: "", key: hostKey(name), epoch: realm.epoch, revision: ++realm.revision };
    },
  };
  return realm;
}
export type TestRealm = ReturnType<typeof realmOf>;

export const silentLog = { info() {}, warn() {}, error() {} };

type OpenOptions = {
  readonly url: string;
  readonly realm: TestRealm;
  readonly instance?: string;
  readonly previousInstance?: string;
} & Partial<PublisherOptions>;

export type RealmPublisher = ReturnType<typeof openRealmPublisher>;

/** Opens a publisher of the realm `r`, closed at the end of the test. */
export function openPublisher(
  t: TestContext,
  { url, realm, instance = "one", previousInstance = "", ...more }: OpenOptions,
): { publisher: RealmPublisher; bus: NatsBus } {
  const log = more.log ?? silentLog;
  const inboxPrefix = realmInboxPrefix("r");
  const bus = openNatsBus({ url, credsFile: "", name: "agent", clock: systemClock, log, inboxPrefix });
  const publisher = openRealmPublisher({
    bus,
    clock: more.clock ?? systemClock,
    log,
    epoch: realm.epoch,
    onEpoch: (epoch) => (realm.epoch = epoch),
    source: {
      ...{ realm: "r", instance, previousInstance, version: "v0" },
      *allRows() {
        for (const value of realm.rows.values()) yield { kind: "put", row: { ...value, epoch: realm.epoch } };
      },
      catalog: () => realm.catalog,
      counts: () => ({ hosts: realm.rows.size, services: 0, processes: 0, configHash: "h" }),
      lastHistorySeq: realm.history.length,
      atStart: { history: realm.history.length, command: realm.commands },
      restoredCopy: () => "",
      async onOlderCopy({ seen }) {
        realm.history.push({ seq: seen.history + 1, realm: "", atMs: 5, type: "gap" });
        realm.commands = Math.max(realm.commands, seen.command);
        return { ok: true, value: { lastHistorySeq: seen.history + 1 } };
      },
      history: {
        historyAfter: async (seq, limit) => realm.history.filter((r) => r.seq > seq).slice(0, limit),
        cursor: async () => realm.cursor,
        async setCursor(_name, seq) {
          realm.cursor = seq;
        },
        lastCommandSeq: () => realm.commands,
      },
    },
  });
  let closed = false;
  const close = publisher.close.bind(publisher);
  publisher.close = async () => {
    if (closed) return;
    closed = true;
    await close();
    await bus.close();
  };
  t.after(() => publisher.close());
  publisher.start();
  return { publisher, bus };
}

/** Waits until all rows, the marker, the catalog and the history are published. */
export const published = (publisher: RealmPublisher) =>
  until(
    "everything is published",
    () => {
      const { complete, waitingRows, waitingEvents, isCatalogWaiting } = publisher.state();
      return complete && waitingRows === 0 && waitingEvents === 0 && !isCatalogWaiting;
    },
    { seen: publisher.state },
  );

/** Makes the streams, as an aggregator does. */
export const makeStreams = (url: string): Promise<void> =>
  readBroker(url, async ({ jsm }) => void (await setUpStreams(jsm, [stateStream, eventStream])));

/** Starts a nats-server on which the streams exist. */
export async function startNatsWithStreams(): Promise<SpawnedServer> {
  const server = await startNatsServer();
  await makeStreams(server.url);
  return server;
}

export type ReplyFields = MessageInitShape<typeof HeartbeatReplySchema>;

/** Answers the heartbeats of the realm `r` as an aggregator does, with what `reply` returns. Collects the heartbeats. */
export async function answerHeartbeats(
  t: TestContext,
  url: string,
  reply: (heartbeat: Heartbeat) => ReplyFields,
): Promise<Heartbeat[]> {
  const connection = await connect({ servers: url, ...credentialsOf(url) });
  t.after(() => connection.close());
  const heard: Heartbeat[] = [];
  connection.subscribe(heartbeatSubject("r"), {
    callback(_error, message) {
      const heartbeat = fromBinary(HeartbeatSchema, message.data);
      const fields = { realm: "r", instance: heartbeat.instance, ...reply(heartbeat) };
      message.respond(toBinary(HeartbeatReplySchema, create(HeartbeatReplySchema, fields)));
      // Once the server has the answer, a flush of the publisher's connection returns after it.
      connection.flush().then(
        () => heard.push(heartbeat),
        () => {},
      );
    },
  });
  await connection.flush();
  return heard;
}

/** Reads the streams over a separate connection. */
export async function readBroker<T>(url: string, use: (broker: BrokerView) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: url, ...credentialsOf(url) });
  try {
    const jsm = await connection.jetstreamManager();
    const last = async (stream: string, subject: string): Promise<Uint8Array | undefined> => {
      try {
        return (await jsm.streams.getMessage(stream, { last_by_subj: subject })).data;
      } catch (error) {
        if (error instanceof NatsError) return undefined;
        throw error;
      }
    };
    return await use({
      jsm,
      async row(name) {
        const data = await last("SVC_STATE", stateSubject("r", hostKey(name)));
        return data && fromBinary(StateRowSchema, data);
      },
      async epoch() {
        const data = await last("SVC_STATE", epochSubject("r"));
        return data && fromBinary(RealmEpochSchema, data);
      },
      async catalogPart(kind, number) {
        const data = await last("SVC_STATE", catalogPartSubject("r", { kind, number }));
        return data && fromBinary(RealmCatalogSchema, data);
      },
      async events() {
        const { messages, last_seq } = (await jsm.streams.info("SVC_EVENTS")).state;
        const found = [];
        for (let seq = last_seq - messages + 1; seq <= last_seq; seq++)
          found.push(fromBinary(RealmEventSchema, (await jsm.streams.getMessage("SVC_EVENTS", { seq })).data));
        return found.map((event) => [Number(event.seq), event.record?.output ?? ""] as const);
      },
    });
  } finally {
    await connection.close();
  }
}
export type BrokerView = {
  readonly jsm: Awaited<ReturnType<Awaited<ReturnType<typeof connect>>["jetstreamManager"]>>;
  row(name: string): Promise<ReturnType<typeof fromBinary<typeof StateRowSchema>> | undefined>;
  epoch(): Promise<ReturnType<typeof fromBinary<typeof RealmEpochSchema>> | undefined>;
  catalogPart(kind: CatalogKind, number: number): Promise<RealmCatalog | undefined>;
  events(): Promise<(readonly [seq: number, output: string])[]>;
};

/** Address of the server with a login, `user:password`. */
export const withLogin = ({ url }: SpawnedServer, login: string): string => url.replace("//", `//${login}@`);

function credentialsOf(url: string): { user?: string; pass?: string } {
  const { username, password } = new URL(url);
  return username === "" ? {} : { user: username, pass: password };
}
