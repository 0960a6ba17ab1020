import { isProblem } from "@realmwatch/shared/words/status";
import { statusOf } from "./attempts.ts";
import type { ObjectState } from "./state.ts";

/** Whether there may be something to tell of the object, now or once what silences it is gone. */
export const hasOpenMatter = (state: ObjectState): boolean => isProblem(statusOf(state.phase));
