import { createContext, type ReactNode, use } from "react";

const PastViewContext = createContext<number | undefined>(undefined);

/** Makes its children a view of the past: ages count from `atMs` (Unix ms) and commands are not available. */
export function PastViewProvider({ atMs, children }: { atMs: number | undefined; children: ReactNode }) {
  return <PastViewContext value={atMs}>{children}</PastViewContext>;
}

/** Time of the past view around the component, Unix ms; undefined when the present is displayed. */
export const usePastView = (): number | undefined => use(PastViewContext);
