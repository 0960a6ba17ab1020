import type { Clock } from "../model/clock.ts";
import { sleep } from "../model/clock.ts";
import type { ObjectKey } from "../model/object-key.ts";
import { type Status, statuses } from "../model/status.ts";
import type { ReadModel } from "../read-model/read-model.ts";
import type { Row } from "../row/row.ts";

type ObjectMetricsOptions = {
  readonly model: Pick<ReadModel, "objects">;
  /** Realm of rows without one: the agent's own; empty on an aggregator. */
  readonly ownRealm: string;
  readonly clock: Clock;
};

/** Numbers of statuses: those of plugins' exit codes first. */
const statusNumbers = Object.fromEntries(statuses.map((status, number) => [status, number])) as Record<Status, number>;

const families = [
  {
    name: "realmwatch_object_status",
    help: "Status of an object: 0 ok, 1 warning, 2 critical, 3 unknown, 4 pending, 5 unreachable.",
    value: ({ status }: Row) => statusNumbers[status],
  },
  {
    name: "realmwatch_object_hard_status",
    help: "Last hard status of an object, in the numbers of realmwatch_object_status.",
    value: ({ lastHardStatus }: Row) => statusNumbers[lastHardStatus],
  },
  {
    name: "realmwatch_object_handled",
    help: "1 when the problem of an object is acknowledged, in downtime or suppressed.",
    value: ({ handled }: Row) => Number(handled),
  },
  {
    name: "realmwatch_object_last_check_timestamp_seconds",
    help: "Unix time of the last check of an object; absent when it was never checked.",
    value: ({ lastCheckAtMs }: Row) => (lastCheckAtMs === undefined ? undefined : lastCheckAtMs / 1000),
  },
] as const;

/** Rows that are formatted between two yields to the event loop. */
const rowsPerSlice = 2_000;

/**
 * [MT10] Metrics of all objects in the text format of Prometheus, for `/metrics?objects=1`. Undefined when the read model
 * cannot answer.
 */
export async function renderObjectMetrics(options: ObjectMetricsOptions): Promise<string | undefined> {
  const { model, ownRealm, clock } = options;
  const found = await model.objects({ kinds: [], selector: undefined, realm: "", pageSize: 0, pageToken: "" });
  if (!found.ok) return undefined;
  const { rows } = found.value;
  const texts = families.map(({ name, help }) => [`# HELP ${name} ${help}\n# TYPE ${name} gauge\n`]);
  for (let first = 0; first < rows.length; first += rowsPerSlice) {
    for (const row of rows.slice(first, first + rowsPerSlice)) {
      const labels = labelsOf(row.about.key, row.realm === "" ? ownRealm : row.realm);
      families.forEach(({ name, value }, at) => {
        const number = value(row);
        if (number !== undefined) texts[at]?.push(`${name}{${labels}} ${number}\n`);
      });
    }
    await sleep(clock, 0);
  }
  return texts.flat().join("");
}

function labelsOf(key: ObjectKey, realm: string): string {
  const names = key.kind === "service" ? { host: key.host, service: key.name } : { [key.kind]: key.name };
  return Object.entries({ realm, kind: key.kind, ...names })
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(",");
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };
const escapeLabel = (value: string): string =>
  value.toWellFormed().replace(/[\\"\n]/g, (character) => escapes[character] ?? character);
