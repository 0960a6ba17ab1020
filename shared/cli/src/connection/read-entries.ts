import type { UnansweredRealm } from "@realmwatch/proto/svc/v1/query_pb";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { type CliFailure, commandFailed } from "../output/cli-failure.ts";

/** Maximum number of pages of a list: 5 million objects or a million records of history. */
const maxPages = 1_000;

type Page = { readonly nextPageToken: string; readonly unanswered?: readonly UnansweredRealm[] };
type Entries<E> = { readonly entries: E[]; readonly unanswered: UnansweredRealm[] };

/**
 * [TX3] Reads the entries of a list page by page, until the last one or `limit`, and the realms that were missing in any
 * page. Fails where a call fails, and when a server repeats a page or has more than the maximum.
 *
 * @param read gets the number of entries that were read before
 */
export async function readEntries<P extends Page, E>(
  url: string,
  read: (pageToken: string, count: number) => Promise<Result<P, CliFailure>>,
  entriesOf: (page: P) => readonly E[],
  limit = Number.POSITIVE_INFINITY,
): Promise<Result<Entries<E>, CliFailure>> {
  const entries: E[] = [];
  const unanswered = new Map<string, UnansweredRealm>();
  const tokens = new Set([""]);
  let pageToken = "";
  while (tokens.size <= maxPages) {
    const page = await read(pageToken, entries.length);
    if (!page.ok) return page;
    entries.push(...entriesOf(page.value));
    for (const missing of page.value.unanswered ?? []) unanswered.set(missing.realm, missing);
    pageToken = page.value.nextPageToken;
    if (entries.length >= limit || pageToken === "") return ok({ entries, unanswered: [...unanswered.values()] });
    if (tokens.has(pageToken)) return commandFailed(`${url} answered with a page that it had answered before`);
    tokens.add(pageToken);
  }
  return commandFailed(`${url} answered with more than ${maxPages} pages`);
}
