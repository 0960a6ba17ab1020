import { useQuery } from "@connectrpc/connect-query";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { useMemo } from "react";
import { keyOfWireRef, objectIdOf } from "../../api/status/object-key.ts";
import { type Grouping, type GroupLabels, groupLabelOf } from "./group-rows.ts";

/** Largest number of objects whose labels are fetched. */
const maxObjects = 5_000;
/** Interval of the polls, ms; labels change only with the configuration. */
const pollMs = 60_000;

const none: GroupLabels = new Map();
const problems = "@status in (critical,warning,unknown,unreachable)";

type ListScope = { readonly selector: string; readonly onlyProblems: boolean };

/** Values of the label that a list is grouped by; empty for every other grouping and before the first response. */
export function useGroupLabels(grouping: Grouping | undefined, { selector, onlyProblems }: ListScope): GroupLabels {
  const label = groupLabelOf(grouping);
  const requirements = [label ?? "", selector, onlyProblems ? problems : ""].filter((part) => part !== "");
  const { data } = useQuery(
    QueryService.method.listObjects,
    { selector: requirements.join(","), pageSize: maxObjects },
    { enabled: label !== undefined, refetchInterval: pollMs, staleTime: pollMs },
  );
  return useMemo(() => {
    if (label === undefined || data === undefined) return none;
    return new Map(
      data.rows.flatMap(({ realm, object, labels }) => {
        const key = keyOfWireRef(object);
        const value = labels[label];
        return key === undefined || value === undefined ? [] : [[objectIdOf(realm, key), value] as const];
      }),
    );
  }, [data, label]);
}
