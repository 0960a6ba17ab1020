/** `vX.Y.Z` in a release, into which the release build writes it; `dev` in anything else. */
export const version: string = "dev";
