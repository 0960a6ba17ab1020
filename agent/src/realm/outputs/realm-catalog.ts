import { planCatalog } from "@realmwatch/shared/config/plan-catalog";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { RealmReader } from "../state/realm-reader.ts";

/** Catalog of the realm: its configuration without objects, the present toggles, and the deliveries to contacts. */
export function realmCatalog({
  plan,
  program,
  contactDeliveries,
}: Pick<RealmReader, "plan" | "program" | "contactDeliveries">): Catalog {
  const catalog = planCatalog(plan);
  const disabled = new Set(program.disabledContacts);
  const contacts = catalog.contacts.map((contact) => ({
    ...contact,
    notificationsEnabled: !disabled.has(contact.name),
    ...contactDeliveries.of(contact.name),
  }));
  return { ...catalog, realm: "", contacts, toggles: program.toggles };
}
