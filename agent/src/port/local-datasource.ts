import { refOf } from "@realmwatch/shared/model/object-key";
import { formatRefusal } from "@realmwatch/shared/model/refusal";
import { fail, ok } from "@realmwatch/shared/model/result";
import type { Datasource } from "../datasources/datasource.ts";
import type { EngineChannel } from "./port-contract.ts";

/** Datasource over the agent's own recording. It serves metrics of objects with the plugin's own units, and no panels. */
export function localDatasource({ engine }: { readonly engine: EngineChannel }): Datasource {
  const away = fail({ kind: "unavailable", why: "cannot be opened; the agent's log has the reason" } as const);
  return {
    async listMetrics(object) {
      const found = await engine.request("recordedMetrics", refOf(object));
      if (found === undefined) return away;
      return found.ok ? found : fail({ kind: "unavailable", why: formatRefusal(found.error) });
    },
    async queryMetric({ object, label }, { fromMs, toMs, stepMs }) {
      const found = await engine.request("recordedPoints", {
        ref: refOf(object),
        label,
        range: { fromMs, toMs },
        stepMs,
      });
      if (found === undefined) return away;
      if (!found.ok) return fail({ kind: "unavailable", why: formatRefusal(found.error) });
      return ok(
        found.value.map(({ uom, points }) => ({
          name: label,
          labels: uom === "" ? { label } : { label, unit: uom },
          points,
        })),
      );
    },
  };
}
