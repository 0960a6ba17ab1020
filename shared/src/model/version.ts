/** `vX.Y.Z` in a release, written by the release build; `dev` otherwise. */
export const version: string = "dev";
/**
 * Commit that the program was built from, written by the build, with `-dirty` when the checkout had changes; `unknown` when
 * it was not built in a checkout of git.
 */
export const buildCommit: string = "unknown";
/** Version of the CUE language that the evaluator inside the programs implements. */
export const cueVersion = "0.4.3";
