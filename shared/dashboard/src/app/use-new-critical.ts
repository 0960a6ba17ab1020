import { useEffect, useRef } from "react";
import { useOverview } from "../api/status/overview.ts";
import { countOf } from "../features/overview/count-matrix.ts";

/** Calls `onNew` with the number of unhandled critical problems, and by how many it has grown, each time it grows. */
export function useNewCritical(onNew: (total: number, added: number) => void): void {
  const { data } = useOverview();
  const before = useRef<number>(undefined);
  const critical = data && countOf(data.unhandled, "critical").count;
  useEffect(() => {
    const known = before.current;
    before.current = critical;
    if (critical !== undefined && known !== undefined && critical > known) onNew(critical, critical - known);
  }, [critical, onNew]);
}
