import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { RedisProblem, RedisProblemKind } from "../redis/health/redis-health.ts";

/** Problems with which the aggregator works on: only some realms are affected. */
const tolerated: ReadonlySet<RedisProblemKind> = new Set(["node"]);
const mostNamed = 5;

export type RedisStatusInputs = {
  readonly problems: readonly RedisProblem[];
  /** Reasons why realms cannot be read or written, by realm. */
  readonly realmErrors: ReadonlyMap<string, string>;
};

/** Adds a refused write to the problems: it shows that Redis is full before its numbers do. */
export function redisProblemsOf({ problems, realmErrors }: RedisStatusInputs): readonly RedisProblem[] {
  if (problems.some(({ kind }) => kind === "full")) return problems;
  const why = [...realmErrors.values()].find((text) => text.startsWith("Redis is full"));
  return why === undefined ? problems : [...problems, { kind: "full", why }];
}

/** [RS13] Line of `/readyz` about Redis. */
export function redisDependency(inputs: RedisStatusInputs): DependencyStatus {
  const problems = redisProblemsOf(inputs);
  const { realmErrors } = inputs;
  const realms = [...realmErrors.keys()].sort();
  const named = `${realms.slice(0, mostNamed).join(", ")}${realms.length > mostNamed ? ", …" : ""}`;
  const [error] = realmErrors.values();
  const affected = realms.length === 0 ? [] : [`realms that cannot be stored or read: ${named} (${error})`];
  const texts = [...problems.map(({ why }) => why), ...affected];
  return {
    name: "redis",
    ok: texts.length === 0,
    needed: problems.some(({ kind }) => !tolerated.has(kind)) || texts.length === 0,
    detail: texts.join("; ") || "connected",
  };
}
