import { useQuery } from "@connectrpc/connect-query";
import { type Contact, QueryService } from "@realmwatch/proto/svc/v1/query_pb";

const pollMs = 5_000;
/** Interval on pages that show failing or muted contacts only, ms: every open page polls, and both last for minutes. */
export const slowPollMs = 30_000;

/** Polls the contacts whose deliveries fail; empty until the server has answered. */
export function useFailingContacts(): readonly Contact[] {
  const { contacts = [] } = useContacts(slowPollMs);
  return contacts.filter(({ failingSince }) => failingSince !== undefined);
}

/** Polls the contacts, sorted by name and realm; undefined until the server has answered. */
export function useContacts(refetchInterval = pollMs): {
  contacts: readonly Contact[] | undefined;
  error: Error | null;
} {
  const { data, error } = useQuery(QueryService.method.listContacts, {}, { refetchInterval });
  const contacts = data && [...data.contacts].sort((a, b) => compare(a.name, b.name) || compare(a.realm, b.realm));
  return { contacts, error };
}

const compare = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });
