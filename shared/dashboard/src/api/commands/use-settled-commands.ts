import { useEffect } from "react";
import { useAppContext, useNow } from "../context/app-context.tsx";
import { useStatusSnapshot } from "../status/status-feed.ts";
import { giveUpAfterMs, stillPending } from "./pending-command.ts";

/** Removes pending commands whose effect is visible in the problems, also off the page, and those that timed out. */
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
