import { create } from "@bufbuild/protobuf";
import { ListStatusRequestSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { parseStatusQuery } from "@realmwatch/shared/api/query/parse-query";
import type { Clock } from "@realmwatch/shared/model/clock";
import { type ObjectKind, objectKinds } from "@realmwatch/shared/model/object-key";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { ReadModel, StatusSummary } from "@realmwatch/shared/read-model/read-model";
import { objectKindCodec } from "@realmwatch/shared/wire/fields/enums";
import type { PortPlan } from "./port-contract.ts";

type StateMetricsOptions = {
  readonly metrics: Metrics;
  readonly model: Pick<ReadModel, "status">;
  readonly clock: Pick<Clock, "now">;
  /** The running configuration. Its hash consists of hexadecimal digits. */
  readonly plan: () => Pick<PortPlan, "hash" | "entries">;
};

/** Registers gauges over all objects, read from the read model's counts at each scrape. */
export function registerStateMetrics({ metrics, model, clock, plan }: StateMetricsOptions): void {
  async function summaryOf(kind: ObjectKind | undefined): Promise<StatusSummary | undefined> {
    const kinds = kind === undefined ? [] : [objectKindCodec.toProto(kind)];
    const query = parseStatusQuery(
      create(ListStatusRequestSchema, { kinds, pageSize: 1, omitRealms: true }),
      clock.now(),
    );
    const answer = query.ok ? await model.status(query.value) : query;
    return answer.ok ? answer.value.summary : undefined;
  }

  metrics.gauge({
    name: "objects",
    help: "Configured objects by kind and status.",
    labels: ["kind", "status"],
    async collect(gauge) {
      const summary = await summaryOf(undefined);
      gauge.reset();
      for (const { kind, status, count } of summary?.counts ?? []) gauge.set({ kind, status }, count);
    },
  });
  metrics.gauge({
    name: "problems_unhandled",
    help: "Objects with a problem that is neither acknowledged nor in downtime nor suppressed.",
    labels: ["kind"],
    async collect(gauge) {
      for (const kind of objectKinds) gauge.set({ kind }, (await summaryOf(kind))?.unhandled ?? 0);
    },
  });
  const total = (name: string, help: string, read: (summary: StatusSummary) => number): void =>
    void metrics.gauge({
      ...{ name, help },
      async collect(gauge) {
        const summary = await summaryOf(undefined);
        gauge.set(summary === undefined ? 0 : read(summary));
      },
    });
  total("flapping_objects", "Objects that are flapping.", ({ flapping }) => flapping);
  total("downtimes_active", "Objects in downtime.", ({ inDowntime }) => inDowntime);
  total("acknowledgements_active", "Objects with an acknowledged problem.", ({ acknowledged }) => acknowledged);
  total("checks_overdue", "Objects whose expected result is late.", ({ overdue }) => overdue);
  metrics.gauge({
    name: "config_objects",
    help: "Entries of the running configuration by kind.",
    labels: ["kind"],
    collect(gauge) {
      for (const [kind, count] of Object.entries(plan().entries)) gauge.set({ kind }, count);
    },
  });
  metrics.observableGauges({
    config_hash: [
      "Number that the running configuration determines; equal configurations have equal numbers.",
      () => Number.parseInt(plan().hash.slice(0, 12), 16) || 0,
    ],
  });
}
