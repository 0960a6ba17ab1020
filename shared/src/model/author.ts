/** Author of a command: the authenticated identity, and the name that the request gave if it differs, else empty. */
export type Author = { readonly author: string; readonly onBehalfOf: string };

/** Marks changes and notifications without an author. */
export const noAuthor: Author = { author: "", onBehalfOf: "" };
/** Author of changes that the engine makes itself. */
export const systemAuthor: Author = { author: "realmwatch", onBehalfOf: "" };

/** The author fields of a history entry; empty names are left out. */
export const authorFields = (by: Author): Partial<Author> => ({
  ...(by.author === "" ? {} : { author: by.author }),
  ...(by.onBehalfOf === "" ? {} : { onBehalfOf: by.onBehalfOf }),
});
