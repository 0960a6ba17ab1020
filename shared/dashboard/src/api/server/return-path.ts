/** Path of this page that a login returns to; the start page for an address of another site. */
export const safeReturnPath = (text: string | undefined): string =>
  text !== undefined && /^\/(?![/\\])/.test(text) && !text.startsWith("/login") ? text : "/";
