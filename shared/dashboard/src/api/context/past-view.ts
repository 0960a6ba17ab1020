import { createContext, use } from "react";

/** Makes its children a view of a time of the past, Unix ms: ages count from it and commands are not available. */
export const PastView = createContext<number | undefined>(undefined);

/** Time of the past view around the component, Unix ms; undefined when the present is displayed. */
export const usePastView = (): number | undefined => use(PastView);
