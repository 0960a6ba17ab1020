import { useEffect } from "react";
import { useAppContext, useNow } from "../context/app-context.tsx";
import { giveUpAfterMs } from "./pending-command.ts";

/** Removes pending commands that timed out; marks of displayed rows end as soon as the effect is visible. */
export function useSettledCommands(): void {
  const { pending } = useAppContext();
  const nowMs = useNow();
  useEffect(() => {
    const isOld = ({ sentAtMs }: { sentAtMs: number }): boolean => nowMs - sentAtMs > giveUpAfterMs;
    pending.set((marks) => (marks.some(isOld) ? marks.filter((mark) => !isOld(mark)) : marks));
  }, [pending, nowMs]);
}
