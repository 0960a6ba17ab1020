import { ok, type Result } from "@realmwatch/shared/model/result";
import { type CliFailure, commandFailed } from "../output/cli-failure.ts";

/** Maximum number of pages of a list: 5 million objects or a million records of history. */
const maxPages = 1_000;

type Page = { readonly nextPageToken: string };

/**
 * [TX3] Reads the pages of a list, until the last one or `take` returns false. Fails where a call fails, and when a server
 * repeats a page or has more than the maximum.
 */
export async function readPages<P extends Page>(
  url: string,
  { read, take }: { read(pageToken: string): Promise<Result<P, CliFailure>>; take(page: P): boolean },
): Promise<Result<undefined, CliFailure>> {
  const tokens = new Set([""]);
  let pageToken = "";
  while (tokens.size <= maxPages) {
    const page = await read(pageToken);
    if (!page.ok) return page;
    if (!take(page.value) || page.value.nextPageToken === "") return ok(undefined);
    pageToken = page.value.nextPageToken;
    if (tokens.has(pageToken)) return commandFailed(`${url} answered with a page that it had answered before`);
    tokens.add(pageToken);
  }
  return commandFailed(`${url} answered with more than ${maxPages} pages`);
}
