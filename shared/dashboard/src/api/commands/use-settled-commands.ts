import { useEffect } from "react";
import { useAppContext, useNow } from "../context/app-context.tsx";
import { useStatusSnapshot } from "../status/status-feed.ts";
import { giveUpAfterMs, stillPending } from "./pending-command.ts";

/** Ends the waiting for effects that the problems show, also where no row of theirs is on the page, and for those that never came. */
export function useSettledCommands(): void {
  const { pending } = useAppContext();
  const { data } = useStatusSnapshot("problems");
  const nowMs = useNow();
  const items = data?.items;
  useEffect(() => {
    pending.set((marks) => {
      const known = marks.map(({ id }) => items?.get(id)).filter((item) => item !== undefined);
      return known.reduce(stillPending, marks);
    });
  }, [pending, items]);
  useEffect(() => {
    const isOld = ({ sentAtMs }: { sentAtMs: number }): boolean => nowMs - sentAtMs > giveUpAfterMs;
    pending.set((marks) => (marks.some(isOld) ? marks.filter((mark) => !isOld(mark)) : marks));
  }, [pending, nowMs]);
}
