import { fail, ok, type Result } from "../model/result.ts";

/** URL of http or https. */
type WebUrl = {
  /** URL with protocol `http:` or `https:`, without the zone. */
  readonly url: URL;
  /** Zone of a link-local IPv6 address with its `%`, which URLs do not support; empty when there is none. */
  readonly zone: string;
};

/** Parses a URL of http or https. A zone is `http://[fe80::1%25eth0]/`, or with a bare `%`. Fails with a phrase. */
export function parseWebUrl(text: string): Result<WebUrl, string> {
  const zoned = /^(https?:\/\/(?:[^/?#]*@)?\[[^\]%]*)%(?:25)?([\w.-]+)(\].*)$/i.exec(text);
  const [, head = "", zone = "", tail = ""] = zoned ?? [];
  const url = URL.parse(zoned === null ? text : head + tail);
  if (url === null) return fail("is not a URL");
  if (!isHttpUrl(url)) return fail("is neither http nor https");
  return ok({ url, zone: zone === "" ? "" : `%${zone}` });
}

export const isHttpUrl = ({ protocol }: URL): boolean => protocol === "http:" || protocol === "https:";

/** True for the text of an http or https URL. */
export function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isHttpUrl(url);
}
