import { planCatalog } from "@realmwatch/shared/config/plan-catalog";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { RealmState } from "../state/realm-state.ts";

/** What readers may know of the realm beside its objects, with the switches as they are now. */
export function realmCatalog({ plan, program }: RealmState): Catalog {
  const catalog = planCatalog(plan);
  const disabled = new Set(program.disabledContacts);
  const contacts = catalog.contacts.map((contact) => ({
    ...contact,
    notificationsEnabled: !disabled.has(contact.name),
  }));
  return { ...catalog, realm: "", contacts, toggles: program.toggles };
}
