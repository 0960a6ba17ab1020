import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { realmNamePattern } from "@realmwatch/shared/model/realm";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Secret } from "@realmwatch/shared/platform/flags/secret";
import { streamInfo } from "@realmwatch/shared/platform/nats/nats-streams";
import { subCommand } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import {
  catalogSubjects,
  eventStream,
  eventSubject,
  forgottenSubject,
  heartbeatSubject,
  leaseStream,
  leaseSubject,
  stateStream,
  stateSubjectPrefix,
} from "@realmwatch/shared/wire/nats/nats-subjects";
import type { NatsConnection } from "nats";
import { aggregatorFlags } from "../flags.ts";
import { type RedisTlsFiles, redisTlsFiles } from "../redis/redis-clients.ts";
import { ReconnectingRedis } from "../redis/redis-connection.ts";
import { deleteRealmKeys } from "../redis/redis-scan.ts";
import { natsFlags, subCommandUsageError, withNats } from "./with-nats.ts";

/** Time without a heartbeat after which a realm counts as gone, ms: three heartbeats. */
const silentForMs = 15_000;
/** Time in which a connection to Redis has to be established, ms. */
const connectWithinMs = 5_000;
const pollMs = 50;

/**
 * `forget-realm NAME -nats-url URL [-redis-url URL] [-force]`: deletes a realm's messages and its keys in Redis, and has
 * aggregators forget it.
 */
export const forgetRealmSubCommand = subCommand({
  words: ["NAME"],
  flags: {
    ...natsFlags,
    "redis-url": aggregatorFlags["redis-url"],
    "redis-ca": aggregatorFlags["redis-ca"],
    "redis-cert": aggregatorFlags["redis-cert"],
    "redis-key": aggregatorFlags["redis-key"],
    force: { kind: "switch", help: "Also forget a realm whose agent runs: it publishes all of its rows again." },
  },
  async run({ words: [realm = ""], values }) {
    if (!realmNamePattern.test(realm))
      return subCommandUsageError(`forget-realm: ${JSON.stringify(realm)} is not a realm name`);
    return withNats({ command: "forget-realm", values, clock: systemClock }, async (connection) => {
      if (!values.force && (await hearsHeartbeat(connection, realm, systemClock)))
        return fail(`realm ${realm} is alive: stop its agent first, or give -force`);
      const messages = await purgeRealm(connection, realm);
      const keys =
        values.redisUrl === undefined ? ok("") : await forgetKeys(values.redisUrl, redisTlsFiles(values), realm);
      await connection.jetstream().publish(forgottenSubject(realm));
      return keys.ok ? ok(`realm ${realm} is forgotten: ${messages} messages deleted${keys.value}`) : keys;
    });
  },
});

/** Listens until a heartbeat of the realm arrives, at most for the time that three take. */
async function hearsHeartbeat(connection: NatsConnection, realm: string, clock: Clock): Promise<boolean> {
  const heard = new AbortController();
  const subscription = connection.subscribe(heartbeatSubject(realm), { callback: () => heard.abort() });
  await sleep(clock, silentForMs, heard.signal);
  subscription.unsubscribe();
  return heard.signal.aborted;
}

/** Deletes the realm's messages in all streams. @returns their number */
async function purgeRealm(connection: NatsConnection, realm: string): Promise<number> {
  const jsm = await connection.jetstreamManager();
  const purges = [
    { stream: stateStream.name, filter: `${stateSubjectPrefix(realm)}.>` },
    { stream: stateStream.name, filter: catalogSubjects(realm) },
    { stream: eventStream.name, filter: eventSubject(realm) },
    { stream: leaseStream.name, filter: leaseSubject(realm) },
  ];
  let deleted = 0;
  for (const { stream, filter } of purges)
    if ((await streamInfo(jsm, stream)) !== undefined) deleted += (await jsm.streams.purge(stream, { filter })).purged;
  return deleted;
}

/** Deletes the realm's keys. @returns the end of the sentence that reports it */
async function forgetKeys(url: Secret, tlsFiles: RedisTlsFiles, realm: string): Promise<Result<string, string>> {
  const clock = systemClock;
  const redis = new ReconnectingRedis({ url: url.reveal(), tlsFiles, clock, log: { info() {}, warn() {} } });
  try {
    const deadline = clock.monotonic() + connectWithinMs;
    while (redis.unavailableReason() !== "" && clock.monotonic() < deadline) await sleep(clock, pollMs);
    if (redis.unavailableReason() !== "")
      return fail(`the realm's messages are deleted, its keys are not: ${redis.unavailableReason()}`);
    await deleteRealmKeys(redis, realm);
    return ok(", and its keys in Redis");
  } catch (error) {
    return fail(`the realm's messages are deleted, its keys are not: ${errorText(error)}`);
  } finally {
    await redis.close();
  }
}
