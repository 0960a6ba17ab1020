import { createQueryOptions } from "@connectrpc/connect-query";
import { type Panel, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { useQueries } from "@tanstack/react-query";
import { useAppContext } from "../../api/context/app-context.tsx";
import { usePanels } from "./use-metrics.ts";

/** Time for which the objects that a selector matches are not asked for again, ms. */
const matchedForMs = 60_000;

/**
 * Panels whose selector matches the object, and those without a selector. The server decides, because it has the selector
 * language. One small request for each selector.
 */
export function useMatchingPanels(realm: string, object: ObjectKey): readonly Panel[] {
  const { transport } = useAppContext();
  const panels = usePanels(realm) ?? [];
  const selectors = [...new Set(panels.map(({ selector }) => selector))].filter((selector) => selector !== "");
  const answers = useQueries({
    queries: selectors.map((selector) => ({
      ...createQueryOptions(
        QueryService.method.listStatus,
        { realm, selector, object: objectKeyToProto(object), summaryOnly: true, omitRealms: true },
        { transport },
      ),
      staleTime: matchedForMs,
    })),
  });
  const matching = new Set(
    selectors.filter((_selector, at) => answers[at]?.data?.summary?.counts.some(({ count }) => count > 0) === true),
  );
  return panels.filter(({ selector }) => selector === "" || matching.has(selector));
}
