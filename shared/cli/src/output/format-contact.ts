import type { Contact } from "@realmwatch/proto/svc/v1/query_pb";
import { personText } from "@realmwatch/shared/view/person";
import { counted } from "@realmwatch/shared/view/plural";
import { formatAge, formatLocalTime } from "./format-object.ts";
import { printableText } from "./printable-text.ts";
import type { Screen } from "./table.ts";

/** `contact ops of realm ams is muted by ann since … until …: on holiday`; undefined for a contact that is not muted. */
export function muteText(contact: Contact, screen: Screen): string | undefined {
  const { name, realm, mutedAt, mutedUntil, mutedComment, mutedBy, onBehalfOf } = contact;
  if (mutedAt === undefined) return undefined;
  const by = personText({ author: mutedBy, onBehalfOf });
  const end = mutedUntil === undefined ? ", until it is undone" : ` until ${formatLocalTime(mutedUntil, screen)}`;
  const why = mutedComment === "" ? "" : `: ${mutedComment}`;
  return `contact ${name}${realm === "" ? "" : ` of realm ${realm}`} is muted${by === "" ? "" : ` by ${by}`} since ${formatLocalTime(mutedAt, screen)}${end}${why}`;
}

/** Notes about failing contacts, one line each: `contact ops has failed for 15m (since …), 3 queued: refused`. */
export const contactNotes = (contacts: readonly Contact[], screen: Screen): string[] =>
  contacts.flatMap(({ name, realm, failingSince, queued, lastError }) => {
    if (failingSince === undefined) return [];
    const where = realm === "" ? "" : ` of realm ${realm}`;
    const since = `${formatAge(failingSince, screen)} (since ${formatLocalTime(failingSince, screen)})`;
    const waiting = queued === 0 ? "" : `, ${counted(queued, "notification")} queued`;
    const why = lastError === "" ? "" : `: ${lastError}`;
    return [printableText(`CONTACT FAILING: ${name}${where} has taken no notification for ${since}${waiting}${why}`)];
  });
