import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../model/clock.ts";
import type { PageHandler } from "../platform/http/pages.ts";
import { textResponse } from "../platform/http/pages.ts";
import type { Metrics } from "../platform/metrics/metrics.ts";

/** Current status of one dependency of the program, such as its journal or NATS. */
export type DependencyStatus = {
  readonly name: string;
  readonly ok: boolean;
  /** True when the program cannot work without the dependency. */
  readonly needed: boolean;
  /** Explanation for the operator, without secrets. */
  readonly detail: string;
};

/** Page with a word, or with 503 and the reason that `failure` returns: `/healthz`, `/activez`. */
export const verdictPage =
  (word: string, failure: () => string | undefined | Promise<string | undefined>): PageHandler =>
  async () => {
    const reason = await failure();
    return reason === undefined ? textResponse(200, word) : textResponse(503, reason);
  };

/** `/readyz`: a JSON object with one line for each dependency; 503 while a needed one is unavailable. */
export const readyPage =
  (check: () => readonly DependencyStatus[] | Promise<readonly DependencyStatus[]>): PageHandler =>
  async () => {
    const dependencies = await check();
    const ready = dependencies.every((d) => d.ok || !d.needed);
    const lines = dependencies.map(
      ({ name, ok, needed, detail }) => `    ${JSON.stringify(name)}: ${JSON.stringify({ ok, needed, detail })}`,
    );
    const body = `{\n  "ready": ${ready},\n  "dependencies": {\n${lines.join(",\n")}\n  }\n}\n`;
    return { status: ready ? 200 : 503, contentType: "application/json", body };
  };

/** Metrics of single objects, which `/metrics?objects=1` adds. */
export type ObjectMetricsPage = {
  /** Renders them; undefined when they cannot be read. */
  readonly render: () => Promise<string | undefined>;
  /** Status of the refusal of a request, from its headers; undefined when the caller may read objects. */
  readonly refusal: (header: Headers) => Promise<401 | undefined>;
};

/** Time for which a rendered text is shared, ms. */
const sharedMs = 1_000;

/** Calls `render` at most once in `sharedMs`; callers within that time share the result, also while it is rendered. */
function shared<T>(render: () => Promise<T>, clock: Pick<Clock, "monotonic">): () => Promise<T> {
  let last: { readonly result: Promise<T>; readonly sinceMs: number } | undefined;
  let isRendering = false;
  return () => {
    const nowMs = clock.monotonic();
    if (last !== undefined && (isRendering || nowMs - last.sinceMs < sharedMs)) return last.result;
    isRendering = true;
    const result = render().finally(() => {
      isRendering = false;
    });
    last = { result, sinceMs: nowMs };
    return result;
  };
}

/** [PT30] `/metrics` of the process; with `objects=1` also those of all objects. Rendered at most once a second. */
export function metricsPage(
  metrics: Metrics,
  clock: Pick<Clock, "monotonic">,
  objects?: ObjectMetricsPage,
): PageHandler {
  const render = shared(() => metrics.render(), clock);
  const renderObjects = objects && shared(() => objects.render(), clock);
  return async ({ query, headers }) => {
    const { contentType, text } = await render();
    if (query.get("objects") !== "1" || objects === undefined) return { status: 200, contentType, body: text };
    const refused = await objects.refusal(headersOf(headers));
    if (refused !== undefined) return textResponse(refused, "credentials of a viewer are required for objects=1");
    const own = await renderObjects?.();
    return own === undefined
      ? textResponse(503, "the objects cannot be read")
      : { status: 200, contentType, body: `${text.endsWith("\n") ? text : `${text}\n`}${own}` };
  };
}

const headersOf = (given: IncomingHttpHeaders): Headers =>
  new Headers(
    Object.entries(given).flatMap(([name, value]): [string, string][] =>
      name.startsWith(":") || value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
