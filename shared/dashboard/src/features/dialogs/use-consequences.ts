import { useQuery } from "@connectrpc/connect-query";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { refOf } from "@realmwatch/shared/model/object-key";
import { sizeOfImpact } from "@realmwatch/shared/model/row";
import { useMemo } from "react";
import { oneOfSelector } from "../../api/status/object-key.ts";
import { type StatusItem, statusItemsOf } from "../../api/status/status-item.ts";

type Consequences = {
  /** Number of objects behind the problems. */
  readonly count: number;
  /** Their rows; undefined until they are read. */
  readonly items: readonly StatusItem[] | undefined;
  readonly selector: string;
};

/** Objects that are unreachable or suppressed because of problems of one realm; none for problems of several. */
export function useConsequences(problems: readonly StatusItem[], isWanted: boolean): Consequences {
  const realm = problems[0]?.realm ?? "";
  const isOneRealm = problems.every((problem) => problem.realm === realm);
  const count = isOneRealm ? problems.reduce((sum, { row }) => sum + sizeOfImpact(row.impact), 0) : 0;
  const causes = problems.filter(({ row }) => row.impact !== undefined).map(({ key }) => refOf(key));
  const selector = oneOfSelector("@cause", causes);
  const { data } = useQuery(
    QueryService.method.listStatus,
    { realm, selector, omitRealms: true },
    { enabled: isWanted && count > 0 },
  );
  const items = useMemo(() => {
    const chosen = new Set(problems.map(({ id }) => id));
    return data && statusItemsOf(data.rows).filter(({ id }) => !chosen.has(id));
  }, [data, problems]);
  return { count, items, selector };
}
