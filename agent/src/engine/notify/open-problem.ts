import { isProblem } from "@realmwatch/shared/model/status";
import { statusOf } from "../state/attempts.ts";
import type { ObjectState } from "../state/object-state.ts";
import { isSettled } from "./notification-state.ts";

/**
 * True when a notification may be due, now or after its suppression ends: the object has a problem, flaps, or has
 * notifications that still need an end. [TG3] Also true while a toggle overrides the configuration, because a reload
 * may switch it on again.
 */
export const hasOpenProblem = ({ phase, flap, notificationState, configured }: ObjectState): boolean =>
  isProblem(statusOf(phase)) ||
  flap.flapping ||
  !(notificationState === undefined || isSettled(notificationState)) ||
  configured !== undefined;
