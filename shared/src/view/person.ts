/** Identity that gave a command, and the person on whose behalf it did; empty for none. */
type Given = { readonly author: string; readonly onBehalfOf: string };

/** Person who gave a command: the author, or the one on whose behalf an identity such as the aggregator's did. */
export const personOf = ({ author, onBehalfOf }: Given): string => (onBehalfOf === "" ? author : onBehalfOf);

/** `ann`, or `ann (through centre)` where an identity gave it on her behalf. */
export const personText = ({ author, onBehalfOf }: Given): string =>
  onBehalfOf === "" ? author : `${onBehalfOf} (through ${author})`;
