import { after } from "node:test";

export type Cleanup = () => unknown;

/** Lifetime of a test or of a file's tests: `after` registers cleanups for its end. The context `t` of node:test is one. */
export type TestScope = { after(cleanup: () => void | Promise<void>): void };

const cleanupsByScope = new WeakMap<TestScope, Cleanup[]>();

/**
 * Registers a cleanup for the end of a scope. The cleanups run in reverse order, so that a program has ended before the
 * folder that it writes to is removed, and all of them run although one fails: a program that is left running would keep
 * its test from ending.
 */
export function atEnd(scope: TestScope, cleanup: Cleanup): void {
  const registered = cleanupsByScope.get(scope);
  if (registered !== undefined) {
    registered.push(cleanup);
    return;
  }
  const cleanups = [cleanup];
  cleanupsByScope.set(scope, cleanups);
  scope.after(() => runCleanups(cleanups));
}

/** Runs all cleanups, the last one first. Rejects with the errors of those that failed. */
export async function runCleanups(cleanups: readonly Cleanup[]): Promise<void> {
  const errors: unknown[] = [];
  for (const cleanup of cleanups.toReversed())
    try {
      await cleanup();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} cleanups failed`);
  if (errors.length === 1) throw errors[0];
}

/** Opens a scope that ends when it is disposed of. */
export function openScope(): TestScope & AsyncDisposable {
  const cleanups: Cleanup[] = [];
  return {
    after: (cleanup) => void cleanups.push(cleanup),
    [Symbol.asyncDispose]: () => runCleanups(cleanups),
  };
}

/** Opens a scope for all tests of the file or suite that is being declared: it ends after the last one. */
export function fileScope(): TestScope {
  const scope = openScope();
  after(() => scope[Symbol.asyncDispose]());
  return scope;
}
