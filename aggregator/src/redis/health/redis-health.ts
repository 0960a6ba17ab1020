import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Redis } from "ioredis";
import type { RedisConnection } from "../redis-connection.ts";
import { redisOutageKinds } from "../redis-outage.ts";
import { findRefusedCommands } from "./refused-commands.ts";

/**
 * Problem of Redis: one of its connection, `commands`: it refuses commands, `policy`: it evicts keys, `full`: it refuses
 * writes, `node`: a node of the cluster is away.
 */
export const redisProblemKinds = [...redisOutageKinds, "commands", "policy", "full", "node"] as const;
export type RedisProblemKind = (typeof redisProblemKinds)[number];
export type RedisProblem = { readonly kind: RedisProblemKind; readonly why: string };

export type RedisHealth = ReturnType<typeof openRedisHealth>;

const readEveryMs = 2_000;
/** Number of reads from one trial of the commands to the next while none is refused. */
const readsPerTrial = 15;

type ServerMemory = {
  readonly address: string;
  readonly policy: string;
  readonly usedBytes: number;
  readonly maxBytes: number;
};

/** Watches the memory, the settings and the permitted commands of the servers on which the data depends. */
export function openRedisHealth(options: {
  readonly redis: RedisConnection;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
}) {
  const { redis, clock, log } = options;
  let servers: readonly ServerMemory[] = [];
  let refused: readonly string[] = [];
  let reads = 0;
  let closed = false;
  let logged = "";

  async function read(): Promise<void> {
    if (refused.length > 0 || reads++ % readsPerTrial === 0) refused = await findRefusedCommands(redis.servers());
    const answers = await Promise.allSettled(redis.servers().map(readMemory));
    servers = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    const found = problems();
    const kinds = found.map(({ kind }) => kind).join();
    if (kinds !== logged && redis.unavailableReason() === "")
      if (kinds === "") log.info({ redis: redis.name }, "Redis: all problems have ended");
      else log.warn({ redis: redis.name, problems: found }, "Redis: problems");
    logged = kinds;
  }
  function problems(): readonly RedisProblem[] {
    const outage = redis.outage();
    if (outage !== undefined && outage.kind !== "owner") return [outage];
    const dead = redis.deadNodes();
    const away = { kind: "node", why: `nodes of the Redis Cluster are away: ${dead.join(", ")}` } as const;
    const outages = outage === undefined ? [] : [outage];
    return [...outages, ...commandProblems(), ...servers.flatMap(memoryProblems), ...(dead.length > 0 ? [away] : [])];
  }
  /** [FD93] */
  function commandProblems(): readonly RedisProblem[] {
    if (refused.length === 0) return [];
    const remedy = "permit them in the ACL of the user, and remove their rename-command";
    return [{ kind: "commands", why: `Redis at ${redis.name} refuses to run ${refused.join(", ")}: ${remedy}` }];
  }
  const schedule = (): void => {
    if (!closed) cancel = clock.after(readEveryMs, run);
  };
  const run = (): void => void read().finally(schedule);
  let cancel = clock.after(readEveryMs, run);
  redis.onUp(() => {
    reads = 0;
    void read();
  });
  return {
    problems,
    /** Greatest part of its `maxmemory` that a server uses; 0 without a limit. */
    memoryUsedRatio: () =>
      Math.max(0, ...servers.map(({ usedBytes, maxBytes }) => (maxBytes > 0 ? usedBytes / maxBytes : 0))),
    close() {
      closed = true;
      cancel();
    },
  };
}

async function readMemory(server: Redis): Promise<ServerMemory> {
  const info = await server.info("memory");
  const field = (name: string): string => new RegExp(`^${name}:(\\S*)`, "m").exec(info)?.[1] ?? "";
  return {
    address: `${server.options.host}:${server.options.port}`,
    policy: field("maxmemory_policy"),
    usedBytes: Number(field("used_memory")),
    maxBytes: Number(field("maxmemory")),
  };
}

function memoryProblems({ address, policy, usedBytes, maxBytes }: ServerMemory): readonly RedisProblem[] {
  const found: RedisProblem[] = [];
  if (policy !== "" && policy !== "noeviction") {
    const remedy = "set maxmemory-policy to noeviction (CONFIG SET maxmemory-policy noeviction, and in redis.conf)";
    found.push({
      kind: "policy",
      why: `maxmemory-policy of Redis at ${address} is ${policy}, which deletes rows when memory is short: ${remedy}`,
    });
  }
  if (maxBytes > 0 && usedBytes >= maxBytes) {
    const why = `Redis at ${address} is full: it uses ${usedBytes} of ${maxBytes} bytes; raise maxmemory`;
    found.push({ kind: "full", why });
  }
  return found;
}
