import { isProblem } from "@realmwatch/shared/model/status";
import { statusOf } from "../state/attempts.ts";
import type { ObjectState } from "../state/object-state.ts";
import { isSettled } from "./notification-state.ts";

/**
 * Whether there may be something to tell of the object, now or once what silences it is gone; [TG3] or a switch of it
 * that another configuration may move.
 */
export const hasOpenProblem = ({ phase, flap, telling, configured }: ObjectState): boolean =>
  isProblem(statusOf(phase)) ||
  flap.flapping ||
  !(telling === undefined || isSettled(telling)) ||
  configured !== undefined;
