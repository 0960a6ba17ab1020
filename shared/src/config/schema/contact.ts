import { contactKinds } from "../contact-kinds/contact-kinds.ts";
import { map, variant } from "../parser/structs.ts";

const contact = variant("contact", contactKinds, {
  title: "Contact",
  intro: `Recipient of notifications. Tokens and passwords of whole services are flags of the agent; the document holds only
what belongs to one contact.`,
  example: `hosts: {}
contacts: {
	ann: {type: "email", address: "ann@example.org", group_wait: "30s"}
	"on call": {type: "pager", routing_key: "0123456789abcdef0123456789abcdef", labels: team: "shop"}
}
notifications: shop: levels: [{contacts: ["ann", "on call"]}]`,
});

export const contactsParser = map(contact);
