import { fail, ok, type Result } from "../model/result.ts";

/** Where a page is. */
export type WebUrl = {
  /** Of `http:` or `https:`. */
  readonly url: URL;
  /** Of a link-local IPv6 address, with its `%`: URLs know nothing of zones. Empty where there is none. */
  readonly zone: string;
};

/** Reads a URL of http or https; a zone stands as `http://[fe80::1%25eth0]/` or with a bare `%`. The error is a phrase. */
export function parseWebUrl(text: string): Result<WebUrl, string> {
  const zoned = /^(https?:\/\/(?:[^/?#]*@)?\[[^\]%]*)%(?:25)?([\w.-]+)(\].*)$/i.exec(text);
  const [, head = "", zone = "", tail = ""] = zoned ?? [];
  const url = URL.parse(zoned === null ? text : head + tail);
  if (url === null) return fail("is no URL");
  if (!isHttpUrl(url)) return fail("is neither http nor https");
  return ok({ url, zone: zone === "" ? "" : `%${zone}` });
}

export const isHttpUrl = ({ protocol }: URL): boolean => protocol === "http:" || protocol === "https:";
