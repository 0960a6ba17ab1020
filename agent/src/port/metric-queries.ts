import type { DatasourcePlan } from "@realmwatch/shared/config/plan";
import { formatKey, type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { MemoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import { columnarDbDatasource } from "../datasources/columnar-db.ts";
import type {
  Datasource,
  DatasourceFailure,
  MetricSeries,
  ObjectMetricLabel,
  QueryWindow,
} from "../datasources/datasource.ts";
import type { DatasourceOptions } from "../datasources/datasource-http.ts";
import { prometheusDatasource } from "../datasources/prometheus.ts";
import { localDatasource } from "./local-datasource.ts";
import type { EngineChannel, PortPlan } from "./port-contract.ts";

export type MetricQueriesOptions = Pick<DatasourceOptions, "realm" | "http" | "clock"> & {
  readonly plan: () => Pick<PortPlan, "datasources" | "panels">;
  readonly model: Pick<MemoryReadModel, "row">;
  readonly engine: EngineChannel;
  readonly log: Log;
};

/** Every datasource type by the name that a document gives as `type`. */
const datasourceTypes: {
  readonly [T in DatasourcePlan["type"]]: (
    options: DatasourceOptions & Pick<MetricQueriesOptions, "engine">,
  ) => Datasource;
} = { prometheus: prometheusDatasource, columnar_db: columnarDbDatasource, local: localDatasource };

type Named = { readonly name: string; readonly datasource: Datasource };

/**
 * Queries of panels and of objects' metrics. Refusals: `missing` for an unknown panel or object, `unconfigured` when the
 * datasource is not declared, `unavailable` when it gave no answer, `exhausted` for too large an answer, `failed` when no
 * request can be made.
 */
export class MetricQueries {
  readonly #options: MetricQueriesOptions;

  constructor(options: MetricQueriesOptions) {
    this.#options = options;
  }

  async panel(
    name: string,
    window: QueryWindow,
    signal: AbortSignal,
  ): Promise<Result<{ readonly series: readonly MetricSeries[]; readonly unit: string }, Refusal>> {
    const panel = this.#options.plan().panels.find((one) => one.name === name);
    if (panel === undefined) return fail({ kind: "missing", what: `panel ${JSON.stringify(name)}` });
    const source = this.#datasourceOf(panel);
    if (!source.ok) return source;
    const { queryPanel } = source.value.datasource;
    if (queryPanel === undefined)
      return fail({ kind: "unconfigured", why: `datasource ${JSON.stringify(source.value.name)} serves no panels` });
    const series = await queryPanel(panel.query, window, signal);
    return series.ok
      ? ok({ series: series.value, unit: panel.unit })
      : fail(this.#refusalOf(source.value.name, series.error));
  }

  async objectMetrics(object: ObjectKey, signal: AbortSignal): Promise<Result<readonly ObjectMetricLabel[], Refusal>> {
    const source = this.#datasourceFor(object);
    if (!source.ok) return source;
    const found = await source.value.datasource.listMetrics(object, signal);
    return found.ok ? found : fail(this.#refusalOf(source.value.name, found.error));
  }

  async objectMetric(
    metric: { readonly object: ObjectKey; readonly label: string },
    window: QueryWindow,
    signal: AbortSignal,
  ): Promise<Result<readonly MetricSeries[], Refusal>> {
    const source = this.#datasourceFor(metric.object);
    if (!source.ok) return source;
    const found = await source.value.datasource.queryMetric(metric, window, signal);
    return found.ok ? found : fail(this.#refusalOf(source.value.name, found.error));
  }

  #datasourceOf(panel: { readonly name: string; readonly datasource: string }): Result<Named, Refusal> {
    if (panel.datasource === "") return this.#defaultDatasource();
    const found = this.#options.plan().datasources.find(({ name }) => name === panel.datasource);
    if (found !== undefined) return ok(this.#open(found));
    const why = `panel ${JSON.stringify(panel.name)} needs datasource ${JSON.stringify(panel.datasource)}, which is not declared`;
    return fail({ kind: "unconfigured", why });
  }

  /** Default datasource for the metrics of an object, which has to exist. */
  #datasourceFor(object: ObjectKey): Result<Named, Refusal> {
    if (this.#options.model.row("", refOf(object)) === undefined)
      return fail({ kind: "missing", what: formatKey(object) });
    return this.#defaultDatasource();
  }

  #defaultDatasource(): Result<Named, Refusal> {
    const found = this.#options.plan().datasources.find((plan) => plan.default);
    if (found !== undefined) return ok(this.#open(found));
    return fail({
      kind: "unconfigured",
      why: "no datasource is the default one: set `default: true` in `datasources`",
    });
  }

  #open({ name, type, url, headers, table }: DatasourcePlan): Named {
    const { http, realm, clock, engine } = this.#options;
    const options = { endpoint: { url, headers }, table, http, realm, clock, engine };
    return { name, datasource: datasourceTypes[type](options) };
  }

  #refusalOf(name: string, { kind, why }: DatasourceFailure): Refusal {
    const what = `datasource ${JSON.stringify(name)} ${why}`;
    if (kind === "unavailable") return { kind, what };
    if (kind === "too_large") return { kind: "exhausted", what };
    this.#options.log.error({ datasource: name, why }, "a datasource cannot be queried");
    return { kind: "failed" };
  }
}
