import { backoffMs } from "@realmwatch/shared/platform/backoff";
import { readRegularFileSync } from "@realmwatch/shared/platform/files/regular-file";
import { Cluster, Redis, type RedisOptions } from "ioredis";

/** Paths of files for TLS to Redis; each is empty when it is not given. */
export type RedisTlsFiles = { readonly ca: string; readonly cert: string; readonly key: string };

/** Reads the files from the flags `-redis-ca`, `-redis-cert` and `-redis-key`. */
export const redisTlsFiles = (flags: {
  readonly redisCa: string | undefined;
  readonly redisCert: string | undefined;
  readonly redisKey: string | undefined;
}): RedisTlsFiles => ({ ca: flags.redisCa ?? "", cert: flags.redisCert ?? "", key: flags.redisKey ?? "" });

/** Addresses of one server or of nodes of a cluster, and the files for TLS. */
export type RedisAddress = { readonly urls: readonly string[]; readonly tlsFiles: RedisTlsFiles };

/** Maximum size of a file for TLS, bytes. */
const maxFileBytes = 1_048_576;
/** Timeout of a command, ms. */
const commandTimeoutMs = 2_000;
/** Time without an answer after which an open connection counts as lost, ms. */
const socketTimeoutMs = 5_000;
/** Interval at which a client of a cluster reads which node has which keys, ms. */
const readSlotsEveryMs = 5_000;
/** Attempts of a command in a cluster, 100 ms apart, while keys move or their node is away. */
const mostRedirections = 4;

const common = {
  protocol: 2,
  commandTimeout: commandTimeoutMs,
  connectTimeout: 3_000,
  socketTimeout: socketTimeoutMs,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  connectionName: "realmwatch-aggregator",
} satisfies RedisOptions;
const retryMs = (times: number): number => backoffMs({ firstMs: 100, longestMs: 2_000 }, times);

/** Opens a client of one server. */
export const openRedisServerClient = ({ urls, tlsFiles }: RedisAddress): Redis =>
  new Redis(urls[0] ?? "", {
    ...common,
    ...redisTlsOptions(urls, tlsFiles),
    enableOfflineQueue: false,
    retryStrategy: retryMs,
  });

/** Opens a client of a cluster, of which one node is enough to find the others. */
export function openRedisClusterClient({ urls, tlsFiles }: RedisAddress): Cluster {
  const first = new URL(urls[0] ?? "");
  return new Cluster([...urls], {
    clusterRetryStrategy: retryMs,
    enableOfflineQueue: false,
    slotsRefreshInterval: readSlotsEveryMs,
    maxRedirections: mostRedirections,
    redisOptions: {
      ...common,
      ...(first.password === "" ? {} : { password: decodeURIComponent(first.password) }),
      ...(first.username === "" ? {} : { username: decodeURIComponent(first.username) }),
      ...redisTlsOptions(urls, tlsFiles),
    },
  });
}

/** Options for TLS, which a `rediss` URL or any of the files turns on. The files are read again for each connection. */
function redisTlsOptions(urls: readonly string[], { ca, cert, key }: RedisTlsFiles): Pick<RedisOptions, "tls"> {
  const isWanted = urls.some((url) => url.startsWith("rediss:")) || ca !== "" || cert !== "" || key !== "";
  if (!isWanted) return {};
  const tls = {};
  for (const [option, path] of Object.entries({ ca, cert, key }))
    if (path !== "") Object.defineProperty(tls, option, { enumerable: true, get: contentReader(path) });
  return { tls };
}

/**
 * Returns the content of a file; the previous one while it cannot be read, as during a replacement. Never throws, because
 * the library would not connect again.
 */
function contentReader(path: string): () => Buffer | undefined {
  let content: Buffer | undefined;
  return () => {
    const read = readRegularFileSync(path, maxFileBytes);
    if (read.ok) content = read.value;
    return content;
  };
}

/** Reason why a file for TLS cannot be read; undefined when all can. */
export function unreadableTlsFile({ ca, cert, key }: RedisTlsFiles): string | undefined {
  for (const [flag, path] of Object.entries({ "-redis-ca": ca, "-redis-cert": cert, "-redis-key": key })) {
    const read = path === "" ? undefined : readRegularFileSync(path, maxFileBytes);
    if (read?.ok === false) return `${flag}: ${path} cannot be read: ${read.error}`;
  }
  return undefined;
}
