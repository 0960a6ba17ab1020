/** Cleanups that are still wanted. One listener runs them all, because Node.js takes more than ten for a leak. */
const cleanups: (() => void)[] = [];

function runAll(): void {
  for (const cleanup of cleanups.splice(0)) cleanup();
}

/**
 * Calls a cleanup when this process exits, other than by a signal that it does not handle.
 *
 * @returns a function that cancels it
 */
export function cleanUpAtExit(cleanup: () => void): () => void {
  if (!process.listeners("exit").includes(runAll)) process.on("exit", runAll);
  cleanups.push(cleanup);
  return () => {
    const at = cleanups.indexOf(cleanup);
    if (at >= 0) cleanups.splice(at, 1);
  };
}
