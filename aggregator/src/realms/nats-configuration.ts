import {
  leaseStream,
  leaseSubject,
  realmInboxPrefix,
  rpcSubject,
  zoneChecksSubject,
} from "@realmwatch/shared/wire/nats/nats-subjects";
import { type PasswordVariables, passwordVariables } from "./nats-password-variables.ts";

export type NatsConfigurationOptions = {
  readonly realms: readonly string[];
  /** Zones that have workers. */
  readonly zones: readonly string[];
  /** True for an account for each realm; else all realms share one, and permissions separate them. */
  readonly accountPerRealm: boolean;
  /**
   * True where realms log in over leaf nodes. NATS does not apply the permission to answer a request to a leaf node: the
   * realm may then publish on all inboxes of the centre, whose names are random.
   */
  readonly leafNodes?: boolean;
};

/** Account of a nats-server, in the terms of its configuration. */
type NatsAccount = {
  readonly jetstream?: "enabled";
  readonly users: readonly NatsUser[];
  readonly exports?: readonly NatsShare[];
  readonly imports: readonly NatsShare[];
};

/** `password` is a variable of the server's environment, as `environmentVariable` writes it. */
type NatsUser = {
  readonly user: string;
  readonly password: string;
  readonly permissions?: {
    readonly publish: { readonly allow: readonly string[] } | { readonly deny: readonly string[] };
    readonly subscribe: { readonly allow: readonly string[] };
    readonly allow_responses: { readonly max: number; readonly expires: string };
  };
};

/** Service or stream that an account exports or imports. */
type NatsShare = Readonly<Record<string, string | readonly string[] | Readonly<Record<string, string>>>>;

/** Inboxes of the centre. Realms are named by lower-case letters, so no realm has this prefix. */
const centreInboxes = "_INBOX.>";
const topics = ["state", "catalog", "event", "heartbeat"] as const;
type Topic = (typeof topics)[number];
/** Requests to the stream of leases by which the agents of a pair read theirs; what they write is on its subject. */
const leaseRequests = ["MSG.GET", "INFO"].map((method) => `$JS.API.STREAM.${method}.${leaseStream.name}`);
/** Answers to one message: a response over NATS has up to 128 parts, a check two answers. */
const mostAnswers = { realm: 200, worker: 5 } as const;

/**
 * Variable of the server's environment as a value. It is written as in values of the Helm chart of NATS: what is between
 * the brackets stands without quotes in the configuration.
 */
const environmentVariable = (name: string): string => `<< $${name} >>`;

/**
 * Accounts of a nats-server with a user for the centre, each realm and each zone's workers, whose passwords are read
 * from environment variables.
 *
 * The streams are in the account of the centre, out of reach of realms: what these publish arrives there as the request
 * of a service. A reply subject is thereby valid in the sender's account only, and an answer that a sender directs to a
 * subject of that service is dropped by the server as a cycle, because all realms use the same export. So no answer of a
 * stream, the centre or a worker becomes a message of another realm.
 */
export function natsAccounts(options: NatsConfigurationOptions): Readonly<Record<string, NatsAccount>> {
  const { realms, zones, accountPerRealm, leafNodes = false } = options;
  const accounts = accountPerRealm
    ? realms.map((realm) => ({ name: `REALM_${realm}`, realms: [realm] }))
    : [{ name: "REALMS", realms }];
  const parts = { accounts, zones, variables: passwordVariables(realms, zones), leafNodes };
  return {
    CENTRE: centreAccount(parts),
    ...Object.fromEntries(accounts.map((account) => [account.name, realmsAccount(account, parts)])),
    ...(zones.length > 0 ? { WORKERS: workersAccount(parts) } : {}),
  };
}

type RealmsAccount = { readonly name: string; readonly realms: readonly string[] };
type Parts = {
  readonly accounts: readonly RealmsAccount[];
  readonly zones: readonly string[];
  readonly variables: PasswordVariables;
  readonly leafNodes: boolean;
};

const imported = (kind: "service" | "stream", account: string, subject: string): NatsShare => ({
  [kind]: { account, subject },
});

function centreAccount({ accounts, variables }: Parts): NatsAccount {
  const names = accounts.map(({ name }) => name);
  return {
    jetstream: "enabled",
    users: [{ user: "centre", password: environmentVariable(variables.centre) }],
    // Several aggregators answer one heartbeat, therefore a stream of responses.
    exports: [
      { service: "svc.v1.>", response: "stream", response_threshold: "10s", accounts: names },
      ...leaseRequests.map((service) => ({ service, accounts: names })),
      ...accounts.flatMap(({ name, realms }) =>
        realms.map((realm) => ({ stream: rpcSubject(realm), accounts: [name] })),
      ),
    ],
    imports: names.map((account) => imported("stream", account, centreInboxes)),
  };
}

function realmsAccount({ realms }: RealmsAccount, parts: Parts): NatsAccount {
  const { accounts, zones } = parts;
  const shared = accounts.length === 1;
  const served = [
    ...(shared ? topics.map(allSubjects) : realms.flatMap((realm) => topics.flatMap(realmSubjects(realm)))),
    ...(shared ? [leaseSubject("*")] : realms.map(leaseSubject)),
    ...leaseRequests,
  ];
  const inboxes = realms.map((realm) => `${realmInboxPrefix(realm)}.>`);
  return {
    users: realms.map((realm) => realmUser(realm, parts)),
    exports: [
      { stream: centreInboxes, accounts: ["CENTRE"] },
      ...(zones.length === 0 ? [] : realms.map((realm) => ({ stream: checks(realm), accounts: ["WORKERS"] }))),
    ],
    imports: [
      ...served.map((subject) => imported("service", "CENTRE", subject)),
      ...realms.map((realm) => imported("stream", "CENTRE", rpcSubject(realm))),
      ...(zones.length === 0 ? [] : inboxes.map((inbox) => imported("stream", "WORKERS", inbox))),
    ],
  };
}

const workersAccount = ({ accounts, zones, variables }: Parts): NatsAccount => ({
  users: zones.map((zone) => workerUser(zone, variables)),
  exports: accounts.flatMap(({ name, realms }) =>
    realms.map((realm) => ({ stream: `${realmInboxPrefix(realm)}.>`, accounts: [name] })),
  ),
  imports: accounts.flatMap(({ name, realms }) => realms.map((realm) => imported("stream", name, checks(realm)))),
});

const checks = (realm: string): string => `svc.v1.check.${realm}.>`;
/** Subjects of a topic of all realms. Rows and parts of the catalog have more tokens after the realm. */
const allSubjects = (topic: Topic): string =>
  topic === "state" || topic === "catalog" ? `svc.v1.${topic}.>` : `svc.v1.${topic}.*`;
const realmSubjects =
  (realm: string) =>
  (topic: Topic): readonly string[] => [`svc.v1.${topic}.${realm}`, `svc.v1.${topic}.${realm}.>`];

function realmUser(realm: string, { variables, leafNodes }: Parts): NatsUser {
  const publish = [
    ...[...topics.flatMap(realmSubjects(realm)), checks(realm), leaseSubject(realm), ...leaseRequests],
    ...(leafNodes ? [centreInboxes] : []),
  ];
  const subscribe = [rpcSubject(realm), `${realmInboxPrefix(realm)}.>`];
  return user(`realm-${realm}`, variables.ofRealm(realm), { publish, subscribe, answers: mostAnswers.realm });
}

const workerUser = (zone: string, { ofZone }: PasswordVariables): NatsUser =>
  user(`worker-${zone}`, ofZone(zone), {
    publish: [],
    subscribe: [zoneChecksSubject(zone), `${workerInboxPrefix(zone)}.>`],
    answers: mostAnswers.worker,
  });

/** Prefix of the inboxes of a zone's workers; upper case, so that no realm has it. */
const workerInboxPrefix = (zone: string): string => `_INBOX_WORKER_${zoneChecksSubject(zone).split(".").at(-1)}`;

function user(
  name: string,
  variable: string,
  {
    publish,
    subscribe,
    answers,
  }: { readonly publish: readonly string[]; readonly subscribe: readonly string[]; readonly answers: number },
): NatsUser {
  return {
    user: name,
    password: environmentVariable(variable),
    permissions: {
      publish: publish.length === 0 ? { deny: [">"] } : { allow: publish },
      subscribe: { allow: subscribe },
      allow_responses: { max: answers, expires: "1h" },
    },
  };
}
