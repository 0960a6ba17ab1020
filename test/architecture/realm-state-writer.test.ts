import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf, importsOf, isTest, read, targetOf } from "./sources.ts";

const state = "agent/src/realm/state/realm-state.ts";

/** Modules that may hold the state itself: the realm loop with its parts, and a realm that is simulated. */
const writers = [
  "agent/src/realm/loop/",
  "agent/src/realm/commands/",
  "agent/src/realm/reload/",
  "agent/src/realm/fixtures/",
  "agent/src/realm/schedule/on-demand-checks.ts",
  "agent/src/realm/open-realm.ts",
  "agent/src/simulate/simulated-realm.ts",
];

test("only the realm loop and its parts import RealmState; all other modules read it as RealmReader", () => {
  const importers = filesOf("agent/src/**/*.ts")
    .filter((file) => !isTest(file))
    .filter((file) => importsOf(read(file).text).some((path) => targetOf(file, path) === state));
  assert.deepEqual(
    importers.filter((file) => !writers.some((writer) => file.startsWith(writer))),
    [],
  );
  for (const writer of writers)
    assert.ok(
      importers.some((file) => file.startsWith(writer)),
      `${writer} does not import RealmState any more`,
    );
});
