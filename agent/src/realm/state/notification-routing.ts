import type { NotificationRouting } from "../../engine/input.ts";
import type { RealmState } from "./realm-state.ts";

/** What the realm's plan and switches, as they are now, say of those whom a policy tells. */
export function notificationRoutingFor(realm: RealmState, policy: string): NotificationRouting {
  const { plan, program } = realm;
  const off = new Set(program.disabledContacts);
  return {
    programOn: program.toggles.notifications,
    policy: policy === "" ? undefined : plan.policies.get(policy),
    contact(name) {
      const contact = plan.contacts.get(name);
      return contact && { period: contact.notificationPeriod, on: !off.has(name) };
    },
    calendar: realm.calendar(),
  };
}
