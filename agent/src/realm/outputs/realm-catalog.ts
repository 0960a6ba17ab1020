import { planCatalog } from "@realmwatch/shared/config/plan-catalog";
import { type Catalog, muteView } from "@realmwatch/shared/model/catalog";
import type { RealmReader } from "../state/realm-reader.ts";

/** Catalog of the realm: its configuration without objects, the present toggles, and the deliveries to contacts. */
export function realmCatalog(
  realm: Pick<RealmReader, "plan" | "program" | "contactDeliveries" | "remainingRecipients">,
): Catalog {
  const { plan, program, contactDeliveries, remainingRecipients } = realm;
  const catalog = planCatalog(plan);
  const mutes = new Map(program.mutes.map((mute) => [mute.contact, mute]));
  const contacts = catalog.contacts.map((contact) => ({
    ...contact,
    ...muteView(mutes.get(contact.name)),
    remaining: remainingRecipients.get(contact.name),
    ...contactDeliveries.of(contact.name),
  }));
  // [VW2] The view of the configuration hides a saved one of its name.
  const configured = new Set(catalog.views.map(({ name }) => name));
  const saved = (program.savedViews ?? []).filter(({ name }) => !configured.has(name));
  const views = [...catalog.views, ...saved.map((view) => ({ ...view, saved: true }))];
  return { ...catalog, realm: "", views, contacts, toggles: program.toggles };
}
