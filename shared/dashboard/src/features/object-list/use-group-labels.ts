import type { Client } from "@connectrpc/connect";
import type { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { useQuery } from "@tanstack/react-query";
import { useAppContext } from "../../api/context/app-context.tsx";
import { idOfWireRef } from "../../api/status/object-key.ts";
import { type Grouping, type GroupLabels, groupLabelOf } from "./group-rows.ts";

const pageSize = 5_000;
/** Interval of the polls, ms; labels change only with the configuration. */
const pollMs = 60_000;

const none: GroupLabels = new Map();
const problems = "@status in (critical,warning,unknown,unreachable)";

type ListScope = { readonly selector: string; readonly onlyProblems: boolean };

/**
 * Values of the label that a list is grouped by: undefined until they are known, since a row without a value then looks
 * like one without the label; empty for every other grouping.
 */
export function useGroupLabels(
  grouping: Grouping | undefined,
  { selector, onlyProblems }: ListScope,
): GroupLabels | undefined {
  const { query } = useAppContext();
  const label = groupLabelOf(grouping);
  const requirements = [label ?? "", selector, onlyProblems ? problems : ""].filter((part) => part !== "").join(",");
  const { data } = useQuery({
    queryKey: ["group labels", label, requirements],
    queryFn: ({ signal }) => readLabels(query, { label: label ?? "", requirements, signal }),
    enabled: label !== undefined,
    refetchInterval: pollMs,
    staleTime: pollMs,
  });
  return label === undefined ? none : data;
}

type LabelsCall = { readonly label: string; readonly requirements: string; readonly signal: AbortSignal };

async function readLabels(
  queries: Client<typeof QueryService>,
  { label, requirements: selector, signal }: LabelsCall,
): Promise<GroupLabels> {
  const values = new Map<string, string>();
  let pageToken = "";
  do {
    const page = await queries.listObjects({ selector, pageSize, pageToken }, { signal });
    for (const { realm, object, labels } of page.rows) {
      const id = idOfWireRef(realm, object);
      const value = labels[label];
      if (id !== undefined && value !== undefined) values.set(id, value);
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return values;
}
