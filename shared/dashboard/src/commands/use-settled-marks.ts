import { useEffect } from "react";
import { useSnapshot } from "../api/status-feed.ts";
import { useNow, useServices } from "../services/services.tsx";
import { forgottenAfterMs, stillPending } from "./pending-mark.ts";

/** Ends the waiting for effects that the problems show, also where no row of theirs is on the page, and for those that never came. */
export function useSettledMarks(): void {
  const { pending } = useServices();
  const { data } = useSnapshot("problems");
  const nowMs = useNow();
  const items = data?.items;
  useEffect(() => {
    pending.set((marks) => {
      const known = marks.map(({ id }) => items?.get(id)).filter((item) => item !== undefined);
      return known.reduce(stillPending, marks);
    });
  }, [pending, items]);
  useEffect(() => {
    const isOld = ({ sentAtMs }: { sentAtMs: number }): boolean => nowMs - sentAtMs > forgottenAfterMs;
    pending.set((marks) => (marks.some(isOld) ? marks.filter((mark) => !isOld(mark)) : marks));
  }, [pending, nowMs]);
}
