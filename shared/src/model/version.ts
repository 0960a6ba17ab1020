/** `vX.Y.Z` in a release, written by the release build; `dev` otherwise. */
export const version: string = "dev";
