/** Value of a metric at a time. `atMs`: Unix ms, a whole number. */
export type MetricPoint = { readonly atMs: number; readonly value: number };
