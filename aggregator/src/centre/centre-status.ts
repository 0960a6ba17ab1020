import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { RedisHealth, RedisProblem, RedisProblemKind } from "../redis/health/redis-health.ts";
import type { CentreRedis } from "../redis/ownership/centre-redis.ts";
import type { ReadModels } from "./read-models.ts";

/** Connection to Redis with its health. */
export type WatchedRedis = { readonly connection: CentreRedis; readonly health: RedisHealth };

export type CentreStatus = ReturnType<typeof centreStatus>;

/** Problems with which the aggregator works on: only some realms are affected. */
const tolerated: ReadonlySet<RedisProblemKind> = new Set(["node"]);
const mostNamed = 5;

type RedisStatusInputs = {
  readonly problems: readonly RedisProblem[];
  /** Reasons why realms cannot be read or written, by realm. */
  readonly realmErrors: ReadonlyMap<string, string>;
};

/** Adds a refused write to the problems: it shows that Redis is full before its numbers do. */
function redisProblemsOf({ problems, realmErrors }: RedisStatusInputs): readonly RedisProblem[] {
  if (problems.some(({ kind }) => kind === "full")) return problems;
  const why = [...realmErrors.values()].find((text) => text.startsWith("Redis is full"));
  return why === undefined ? problems : [...problems, { kind: "full", why }];
}

/** [RS13] Line of `/readyz` about Redis. */
function redisDependency(inputs: RedisStatusInputs): DependencyStatus {
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

/** Status of the parts that the aggregator depends on, as of each call. */
export function centreStatus({
  models,
  buses,
  redis,
}: {
  readonly models: ReadModels;
  /** All connections to NATS. */
  readonly buses: readonly NatsBus[];
  /** Undefined without Redis. */
  readonly redis: WatchedRedis | undefined;
}) {
  /** Reason why a connection to NATS is missing; empty when there are all. */
  const natsError = (): string => buses.map((bus) => bus.connectionError()).find((error) => error !== "") ?? "";
  const awayReason = (): string => redis?.connection.unavailableReason() ?? "";

  /** Problems of Redis, and the realms that cannot be stored or read. */
  function redisInputs(): RedisStatusInputs {
    const { plan, storeError } = models.current();
    const realms = awayReason() === "" ? [...plan.keys()] : [];
    const realmErrors = new Map(
      realms.flatMap((realm) => {
        const error = storeError(realm);
        return error === "" ? [] : [[realm, error] as const];
      }),
    );
    return { problems: redis?.health.problems() ?? [], realmErrors };
  }
  return {
    /** Reason why neither reads nor commands can be served now; undefined when they can. */
    unavailableReason(): string | undefined {
      const { canAnswer, incompleteReason } = models.current();
      if (canAnswer()) return undefined;
      if (awayReason() !== "") return awayReason();
      return natsError() === "" ? incompleteReason() : `NATS is away: ${natsError()}`;
    },
    dependencies(): readonly DependencyStatus[] {
      const { incompleteReason, objectCount } = models.current();
      const incomplete = incompleteReason();
      const nats = {
        name: "nats",
        ok: natsError() === "",
        needed: true,
        detail: natsError() || "connected",
      };
      const model = {
        name: "read_model",
        ok: incomplete === undefined,
        needed: true,
        detail: incomplete ?? `${objectCount()} objects`,
      };
      return redis === undefined ? [nats, model] : [nats, redisDependency(redisInputs()), model];
    },
    redisProblems: () => redisProblemsOf(redisInputs()),
  };
}
