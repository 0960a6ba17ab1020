import type { Calendar } from "@realmwatch/shared/calendar/timeperiod";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { NotificationRouting } from "../../engine/object-context.ts";
import type { ProgramState } from "./program-state.ts";

/** Plan, toggles and calendar of a realm, from which the notification routing of a policy follows. */
type RoutingSource = { readonly plan: RealmPlan; readonly program: ProgramState; readonly calendar: Calendar };

/** Notification settings for the objects of one policy. Valid as long as plan and toggles do not change. */
export function notificationRoutingFor(
  { plan, program, calendar }: RoutingSource,
  policy: string,
): NotificationRouting {
  const mutes = new Map(program.mutes.map((mute) => [mute.contact, mute]));
  return {
    programOn: program.toggles.notifications,
    policy: policy === "" ? undefined : plan.policies.get(policy),
    contact(name) {
      const contact = plan.contacts.get(name);
      const mute = mutes.get(name);
      return (
        contact && {
          ...{ period: contact.notificationPeriod, statuses: contact.statuses },
          ...{ on: mute === undefined, offUntilMs: mute?.untilMs },
        }
      );
    },
    calendar,
  };
}
