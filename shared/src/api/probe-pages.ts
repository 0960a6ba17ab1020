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

/** `/healthz`. `failure`: returns why the process does not work; undefined when it does. */
export const healthPage =
  (failure: () => string | undefined): PageHandler =>
  () => {
    const reason = failure();
    return reason === undefined ? textResponse(200, "ok") : textResponse(503, reason);
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

/** `/metrics` of the process. */
export const metricsPage =
  (metrics: Metrics): PageHandler =>
  async () => {
    const { contentType, text } = await metrics.render();
    return { status: 200, contentType, body: text };
  };
