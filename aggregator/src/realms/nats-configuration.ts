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

/** Account of a nats-server, as lines of its configuration. */
type Account = {
  readonly name: string;
  readonly jetStream: boolean;
  readonly users: readonly string[];
  readonly exports: readonly string[];
  readonly imports: readonly string[];
};

/** Inboxes of the centre. Realms are named by lower-case letters, so no realm has this prefix. */
const centreInboxes = "_INBOX.>";
const topics = ["state", "catalog", "event", "heartbeat"] as const;
type Topic = (typeof topics)[number];
/** Requests to the stream of leases by which the agents of a pair read theirs; what they write is on its subject. */
const leaseRequests = ["MSG.GET", "INFO"].map((method) => `$JS.API.STREAM.${method}.${leaseStream.name}`);
/** Answers to one message: a response over NATS has up to 128 parts, a check two answers. */
const mostAnswers = { realm: 200, worker: 5 } as const;

/**
 * Formats a nats-server configuration with a user for the centre, each realm and each zone's workers, whose passwords
 * are read from environment variables.
 *
 * The streams are in the account of the centre, out of reach of realms: what these publish arrives there as the request
 * of a service. A reply subject is thereby valid in the sender's account only, and an answer that a sender directs to a
 * subject of that service is dropped by the server as a cycle, because all realms use the same export. So no answer of a
 * stream, the centre or a worker becomes a message of another realm.
 */
export function formatNatsConfiguration(options: NatsConfigurationOptions): string {
  const { realms, zones, accountPerRealm, leafNodes = false } = options;
  const accounts = accountPerRealm
    ? realms.map((realm) => ({ name: `REALM_${realm}`, realms: [realm] }))
    : [{ name: "REALMS", realms }];
  const variables = passwordVariables(realms, zones);
  const parts = { accounts, zones, variables, leafNodes };
  return [
    ...preamble(variables.all),
    "jetstream: {}",
    "accounts: {",
    ...formatAccount(centreAccount(parts)),
    ...accounts.flatMap((account) => formatAccount(realmsAccount(account, parts))),
    ...(zones.length > 0 ? formatAccount(workersAccount(parts)) : []),
    "}",
    "",
  ].join("\n");
}

type RealmsAccount = { readonly name: string; readonly realms: readonly string[] };
type Parts = {
  readonly accounts: readonly RealmsAccount[];
  readonly zones: readonly string[];
  readonly variables: PasswordVariables;
  readonly leafNodes: boolean;
};

const preamble = (variables: readonly string[]): readonly string[] => [
  "# Made by `realmwatch-aggregator nats-config`. Include it in the configuration of each nats-server, which says where",
  "# it listens, stores streams (jetstream.store_dir) and finds its cluster. Passwords are read from the environment;",
  "# a password begins with a letter and has letters and digits only:",
  ...variables.map((name) => `#   ${name}`),
];

const only = (accounts: readonly string[]): string => `accounts: ${list(accounts)}`;
const imported = (kind: "service" | "stream", account: string, subject: string): string =>
  `{ ${kind}: { account: ${quote(account)}, subject: ${quote(subject)} } }`;

function centreAccount({ accounts, variables }: Parts): Account {
  const names = accounts.map(({ name }) => name);
  return {
    name: "CENTRE",
    jetStream: true,
    users: [`{ user: "centre", password: $${variables.centre} }`],
    // Several aggregators answer one heartbeat, therefore a stream of responses.
    exports: [
      `{ service: "svc.v1.>", response: stream, response_threshold: "10s", ${only(names)} }`,
      ...leaseRequests.map((subject) => `{ service: ${quote(subject)}, ${only(names)} }`),
      ...accounts.flatMap(({ name, realms }) =>
        realms.map((realm) => `{ stream: ${quote(rpcSubject(realm))}, ${only([name])} }`),
      ),
    ],
    imports: names.map((account) => imported("stream", account, centreInboxes)),
  };
}

function realmsAccount({ name, realms }: RealmsAccount, parts: Parts): Account {
  const { accounts, zones } = parts;
  const shared = accounts.length === 1;
  const served = [
    ...(shared ? topics.map(allSubjects) : realms.flatMap((realm) => topics.flatMap(realmSubjects(realm)))),
    ...(shared ? [leaseSubject("*")] : realms.map(leaseSubject)),
    ...leaseRequests,
  ];
  const inboxes = realms.map((realm) => `${realmInboxPrefix(realm)}.>`);
  return {
    name,
    jetStream: false,
    users: realms.map((realm) => realmUser(realm, parts)),
    exports: [
      `{ stream: ${quote(centreInboxes)}, ${only(["CENTRE"])} }`,
      ...(zones.length === 0 ? [] : realms.map((realm) => `{ stream: ${quote(checks(realm))}, ${only(["WORKERS"])} }`)),
    ],
    imports: [
      ...served.map((subject) => imported("service", "CENTRE", subject)),
      ...realms.map((realm) => imported("stream", "CENTRE", rpcSubject(realm))),
      ...(zones.length === 0 ? [] : inboxes.map((inbox) => imported("stream", "WORKERS", inbox))),
    ],
  };
}

const workersAccount = ({ accounts, zones, variables }: Parts): Account => ({
  name: "WORKERS",
  jetStream: false,
  users: zones.map((zone) => workerUser(zone, variables)),
  exports: accounts.flatMap(({ name, realms }) =>
    realms.map((realm) => `{ stream: ${quote(`${realmInboxPrefix(realm)}.>`)}, ${only([name])} }`),
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

function realmUser(realm: string, { variables, leafNodes }: Parts): string {
  const publish = [
    ...[...topics.flatMap(realmSubjects(realm)), checks(realm), leaseSubject(realm), ...leaseRequests],
    ...(leafNodes ? [centreInboxes] : []),
  ];
  const subscribe = [rpcSubject(realm), `${realmInboxPrefix(realm)}.>`];
  return user(`realm-${realm}`, variables.ofRealm(realm), { publish, subscribe, answers: mostAnswers.realm });
}

const workerUser = (zone: string, { ofZone }: PasswordVariables): string =>
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
): string {
  const allowed = publish.length === 0 ? `{ deny: [">"] }` : `{ allow: ${list(publish)} }`;
  return [
    `{ user: ${quote(name)}, password: $${variable}, permissions: {`,
    `        publish: ${allowed}`,
    `        subscribe: { allow: ${list(subscribe)} }`,
    `        allow_responses: { max: ${answers}, expires: "1h" } } }`,
  ].join("\n");
}

function formatAccount({ name, jetStream, users, exports, imports }: Account): readonly string[] {
  const block = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [`    ${title}: [`, ...lines.map((line) => `      ${line}`), "    ]"];
  return [
    `  ${quote(name)}: {`,
    ...(jetStream ? ["    jetstream: enabled"] : []),
    ...block("users", users),
    ...block("exports", exports),
    ...block("imports", imports),
    "  }",
  ];
}

/** Zones are free text without blanks; the configuration's strings have the escapes of JSON that these need. */
const quote = (text: string): string => JSON.stringify(text);
const list = (texts: readonly string[]): string => `[${texts.map(quote).join(", ")}]`;
