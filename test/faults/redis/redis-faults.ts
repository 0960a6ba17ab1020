import { databaseOwnerKey, type RealmKeys, realmKeys } from "@realmwatch/aggregator/redis/redis-keys";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Redis } from "ioredis";
import { call } from "../../run/call.ts";
import type { TestProgram } from "../../run/processes.ts";
import { sendCommand } from "../../run/rows.ts";

/** Bound for recoveries, which include redeliveries and repairs. */
export const withinAMinute = { withinMs: 60_000 };

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
/** Document of a realm with passively checked hosts `h0` to `h<count - 1>`. */
export const passiveHosts = (count: number): string =>
  Array.from({ length: count }, (_, at) => `hosts: h${at}: {address: "a", ${passive}}\n`).join("");

/** Keys of a realm in a database, which carry the identity of its centre. */
export const storedKeys = async (client: Redis, realm: string): Promise<RealmKeys> =>
  realmKeys((await client.hget(databaseOwnerKey, "centre")) ?? "", realm);

type FaultedRealm = {
  readonly name: string;
  readonly reachable?: boolean;
  readonly freshness: string;
  readonly detail?: string;
  readonly lastSeen?: string;
  readonly rowsHeld?: number;
  readonly rowsExpected?: number;
};

/** Realm as an aggregator reports it; undefined when it is not listed or not answered. */
export async function findRealmAt({ base }: TestProgram, name: string): Promise<FaultedRealm | undefined> {
  const { body } = await call(base, "QueryService/ListStatus", { pageSize: 1 });
  return ((body["realms"] as FaultedRealm[] | undefined) ?? []).find((realm) => realm.name === name);
}

/** Waits until a realm has that freshness; `CURRENT` also needs all `rows`. */
export const untilRealmIs = (
  aggregator: TestProgram,
  { realm, freshness, rows }: { readonly realm: string; readonly freshness: string; readonly rows?: number },
): Promise<FaultedRealm> =>
  until(
    `${realm} is ${freshness} at ${aggregator.base}`,
    async () => {
      const state = await findRealmAt(aggregator, realm);
      const hasRows = rows === undefined || (state?.rowsHeld === rows && state.rowsExpected === rows);
      return state?.freshness === `REALM_FRESHNESS_${freshness}` && hasRows ? state : undefined;
    },
    { ...withinAMinute, seen: () => aggregator.output().slice(-3_000) },
  );

/** Status of a host at an aggregator; empty when it has no such row. */
export async function hostAt({ base }: TestProgram, realm: string, host: string) {
  const { body } = await call(base, "QueryService/ListStatus", { realm, object: { host: { name: host } } });
  const rows =
    (body["rows"] as { status: string; output?: string; stale?: boolean; realm: string }[] | undefined) ?? [];
  return rows.find((row) => row.realm === realm);
}

/** Value of a metric with its labels as in the page; undefined when it is missing. */
export async function metricAt({ base }: TestProgram, name: string): Promise<number | undefined> {
  const page = await (await fetch(`${base}/metrics`)).text();
  const line = page.split("\n").find((text) => text.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

/** `/readyz` of a program: its HTTP status and the line of one dependency. */
export async function readinessOf({ base }: TestProgram, name: string) {
  const response = await fetch(`${base}/readyz`);
  const { dependencies } = (await response.json()) as {
    dependencies: Readonly<Record<string, { ok: boolean; detail: string }>>;
  };
  return { status: response.status, ok: dependencies[name]?.ok, detail: dependencies[name]?.detail ?? "" };
}

export const setHost = (agent: TestProgram, host: string, status: "OK" | "CRITICAL", output = ""): Promise<unknown> =>
  sendCommand(agent.base, "ProcessCheckResult", {
    object: { host: { name: host } },
    status: `STATUS_${status}`,
    output,
  });
