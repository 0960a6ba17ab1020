import { durationFlag, programFlags } from "@realmwatch/shared/api/program-flags";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { wholeNumber } from "@realmwatch/shared/platform/flags/flag-parsers";
import type { FlagTable, FlagValues } from "@realmwatch/shared/platform/flags/flags";
import { fileFlag, optionalFlag } from "@realmwatch/shared/platform/flags/optional-flags";

/** Reason why a text is not a list of Redis URLs. Never quotes it, because it may contain a password. */
function refuseRedisUrl(text: string): string | undefined {
  const urls = text.split(",").map((url) => URL.parse(url.trim()));
  return urls.every((url) => url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== "")
    ? undefined
    : "must be a redis:// or rediss:// URL, or several separated by commas";
}

/** Every flag of the aggregator. */
export const aggregatorFlags = {
  ...programFlags,
  "realms-config": fileFlag("Document that lists the realms; reloaded on SIGHUP."),
  "redis-url": {
    kind: "secret",
    help: "Redis that holds the read model, or one node or several of a cluster, joined by commas; default: in memory.",
    placeholder: "URL",
    refuse: refuseRedisUrl,
  },
  "redis-ca": fileFlag("Certificates of the authorities that sign the Redis server's certificate; turns TLS on."),
  "redis-cert": fileFlag("Certificate with which the aggregator logs in to Redis; needs -redis-key."),
  "redis-key": fileFlag("Private key of -redis-cert."),
  "nats-replicas": optionalFlag(
    "Replicas of the streams in NATS, 1 to 5; by default as many as the cluster allows, at most 3.",
    "N",
    (text: string): Result<number | undefined, string> =>
      text === "" ? ok(undefined) : wholeNumber({ min: 1, max: 5 })(text),
  ),
  "forward-timeout": durationFlag("How long a realm's answer to a command is waited for.", "5s"),
  "audit-retention": durationFlag("How long audit records are kept.", "8760h"),
  "history-retention": durationFlag("How long history is kept.", "720h"),
} as const satisfies FlagTable;

export type AggregatorFlags = FlagValues<typeof aggregatorFlags>;

/** Settings that the aggregator's start warnings are about. */
export const aggregatorStart = (flags: AggregatorFlags) => ({
  flags,
  documents: [flags.realmsConfig, flags.authConfig],
});

/** Checks flags that are each valid but required together. The error is one line. */
export function checkAggregatorFlags(flags: AggregatorFlags): Result<undefined, string> {
  const { realmsConfig, natsUrl, redisUrl, redisCa, redisCert, redisKey } = flags;
  if (realmsConfig === undefined) return fail("-realms-config is needed: the document that lists the realms");
  if (natsUrl === undefined) return fail("-nats-url is needed: realms publish over NATS");
  if ((redisCert === undefined) !== (redisKey === undefined))
    return fail("-redis-cert and -redis-key need each other: give both or none");
  if (redisUrl === undefined && (redisCa ?? redisCert) !== undefined)
    return fail("-redis-ca, -redis-cert and -redis-key need -redis-url");
  return ok(undefined);
}
