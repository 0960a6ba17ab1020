import { createContext, type ReactNode, use } from "react";

const PastContext = createContext<number | undefined>(undefined);

/** Whatever is inside shows the world as it was at `atMs`, Unix ms: ages count from then, and nothing can be done. */
export function PastProvider({ atMs, children }: { atMs: number | undefined; children: ReactNode }) {
  return <PastContext value={atMs}>{children}</PastContext>;
}

/** The instant of the past that is shown here, Unix ms; undefined where it is now. */
export const usePast = (): number | undefined => use(PastContext);
