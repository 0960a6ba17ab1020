import type { PageHandler } from "../platform/http/pages.ts";
import { textResponse } from "../platform/http/pages.ts";
import type { Metrics } from "../platform/metrics/metrics.ts";

/** One thing that a program leans on, as it is now. */
export type DependencyStatus = {
  readonly name: string;
  readonly ok: boolean;
  /** Whether the program can do its own duty without. */
  readonly needed: boolean;
  /** For people; no secrets. */
  readonly detail: string;
};

/** `/healthz`: `alive` answers why the process is not, undefined where it is. */
export const healthPage =
  (alive: () => string | undefined): PageHandler =>
  () => {
    const why = alive();
    return why === undefined ? textResponse(200, "ok") : textResponse(503, why);
  };

/** `/readyz`: a JSON object with one line for each dependency; 503 while one that is needed is away. */
export const readyPage =
  (look: () => readonly DependencyStatus[] | Promise<readonly DependencyStatus[]>): PageHandler =>
  async () => {
    const dependencies = await look();
    const ready = dependencies.every((d) => d.ok || !d.needed);
    const lines = dependencies.map(
      ({ name, ok, needed, detail }) => `    ${JSON.stringify(name)}: ${JSON.stringify({ ok, needed, detail })}`,
    );
    const body = `{\n  "ready": ${ready},\n  "dependencies": {\n${lines.join(",\n")}\n  }\n}\n`;
    return { status: ready ? 200 : 503, contentType: "application/json", body };
  };

/** `/metrics`, of the process. */
export const metricsPage =
  (metrics: Metrics): PageHandler =>
  async () => {
    const { contentType, text } = await metrics.render();
    return { status: 200, contentType, body: text };
  };
