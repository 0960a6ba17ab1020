import { createContext, type ReactNode, use } from "react";

const PastViewContext = createContext<number | undefined>(undefined);

/** Whatever is inside shows the world as it was at `atMs`, Unix ms: ages count from then, and nothing can be done. */
export function PastViewProvider({ atMs, children }: { atMs: number | undefined; children: ReactNode }) {
  return <PastViewContext value={atMs}>{children}</PastViewContext>;
}

/** The instant of the past that is shown here, Unix ms; undefined where it is now. */
export const usePastView = (): number | undefined => use(PastViewContext);
