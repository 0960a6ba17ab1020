import { planCatalog } from "@realmwatch/shared/config/plan-catalog";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { RealmReader } from "../state/realm-reader.ts";

/** Catalog of the realm: its configuration without objects, and the present toggles. */
export function realmCatalog({ plan, program }: Pick<RealmReader, "plan" | "program">): Catalog {
  const catalog = planCatalog(plan);
  const disabled = new Set(program.disabledContacts);
  const contacts = catalog.contacts.map((contact) => ({
    ...contact,
    notificationsEnabled: !disabled.has(contact.name),
  }));
  return { ...catalog, realm: "", contacts, toggles: program.toggles };
}
