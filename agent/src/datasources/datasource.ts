import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { fail, type Result } from "@realmwatch/shared/model/result";

/** Range of a query and the interval of its points, ms. */
export type QueryWindow = { readonly fromMs: number; readonly toMs: number; readonly stepMs: number };

export type MetricSeries = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Sorted by time. */
  readonly points: readonly { readonly atMs: number; readonly value: number }[];
};

/** Metric of an object: its label, and its unit as the datasource has it. */
export type ObjectMetricLabel = { readonly label: string; readonly uom: string };

/** Reason why a datasource gave no usable answer. */
export type DatasourceFailure =
  /** The end of a sentence about the datasource: `answered HTTP 500`. */
  | { readonly kind: "unavailable"; readonly why: string }
  /** The answer has more series or points than a client can show. */
  | { readonly kind: "too_large"; readonly why: string }
  /** No request can be made, for example because its URL is invalid. */
  | { readonly kind: "unusable"; readonly why: string };

/** Source of the series of panels and of objects. Methods never reject. */
export interface Datasource {
  /** Undefined for a datasource that serves no panels. */
  readonly queryPanel?:
    | ((
        query: string,
        window: QueryWindow,
        signal: AbortSignal,
      ) => Promise<Result<readonly MetricSeries[], DatasourceFailure>>)
    | undefined;
  listMetrics(object: ObjectKey, signal: AbortSignal): Promise<Result<readonly ObjectMetricLabel[], DatasourceFailure>>;
  queryMetric(
    metric: { readonly object: ObjectKey; readonly label: string },
    window: QueryWindow,
    signal: AbortSignal,
  ): Promise<Result<readonly MetricSeries[], DatasourceFailure>>;
}

/** Time before now in which metrics are listed, ms. */
export const listedMetricsMs = 172_800_000;
/** Most series of one answer. */
export const maxSeries = 500;

/** Names of an object as sinks write them; empty for those that it has not. */
export const objectLabels = (
  key: ObjectKey,
): { readonly host: string; readonly service: string; readonly process: string } =>
  key.kind === "service"
    ? { host: key.host, service: key.name, process: "" }
    : { host: key.kind === "host" ? key.name : "", service: "", process: key.kind === "process" ? key.name : "" };

/** Units of plugins that stand for the base units that sinks write. */
const shortUnits: Readonly<Record<string, string>> = {
  seconds: "s",
  bytes: "B",
  bits: "b",
  percent: "%",
  celsius: "C",
  fahrenheit: "F",
  amperes: "A",
  volts: "V",
  watts: "W",
  hertz: "Hz",
};

/** Unit of a plugin for a base unit: `s` for `seconds`; `c` for a counter. */
export const uomOfBaseUnit = (unit: string, isCounter: boolean): string =>
  isCounter ? "c" : Object.hasOwn(shortUnits, unit) ? (shortUnits[unit] as string) : unit;

/** Reads an answer. `read` throws if the answer does not have the expected shape; such an answer cannot be used. */
export function readAnswer<T>(read: () => Result<T, DatasourceFailure>): Result<T, DatasourceFailure> {
  try {
    return read();
  } catch {
    return fail({ kind: "unavailable", why: "answered in another form than expected" });
  }
}
