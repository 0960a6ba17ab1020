import type { Contact } from "@realmwatch/proto/svc/v1/query_pb";
import { formatAge, formatLocalTime } from "./format-object.ts";
import { printableText } from "./printable-text.ts";
import type { Screen } from "./table.ts";

/** Notes about failing contacts, one line each: `contact ops has failed for 15m (since …), 3 queued: refused`. */
export const contactNotes = (contacts: readonly Contact[], screen: Screen): string[] =>
  contacts.flatMap(({ name, realm, failingSince, queued, lastError }) => {
    if (failingSince === undefined) return [];
    const where = realm === "" ? "" : ` of realm ${realm}`;
    const since = `${formatAge(failingSince, screen)} (since ${formatLocalTime(failingSince, screen)})`;
    const waiting = queued === 0 ? "" : `, ${queued} ${queued === 1 ? "notification" : "notifications"} queued`;
    const why = lastError === "" ? "" : `: ${lastError}`;
    return [printableText(`CONTACT FAILING: ${name}${where} has taken no notification for ${since}${waiting}${why}`)];
  });
