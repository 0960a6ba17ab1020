/** Path from a document's root to a value: field names and list indexes. */
export type DocumentPath = readonly (string | number)[];

/** Text form of a path, usable as the key of a map. */
export const pathKey = (path: DocumentPath): string => JSON.stringify(path);
