/** Name of the environment variable that the runner sets for `--quick`. */
export const quickVariable = "REALMWATCH_BENCH_QUICK";

/** Size of a measurement: the second one with `npm run bench -- --quick`. */
export const sized = <T>(full: T, quick: T): T => (process.env[quickVariable] === undefined ? full : quick);
