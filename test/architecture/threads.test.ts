import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { importsOf, read, root, targetOf, withoutComments } from "./sources.ts";

/** Source without the statements that import or export types only, which load nothing. */
const withoutTypes = (text: string): string =>
  withoutComments(text).replace(
    /^(?:import|export) (?:type \{[^}]*\}|\{(?:\s*type [^,}]+,?)+\s*\}) from "[^"]+";$/gm,
    "",
  );

/** Files that a thread loads, from its first module on, by the file that imports each. */
function loadedBy(first: string): ReadonlyMap<string, string> {
  const importers = new Map([[first, ""]]);
  for (const file of importers.keys())
    for (const path of importsOf(withoutTypes(read(file).text))) {
      const target = targetOf(file, path);
      if (target !== undefined && !importers.has(target) && existsSync(join(root, target))) importers.set(target, file);
    }
  return importers;
}

type Half = { readonly name: string; readonly first: string; readonly foreign: RegExp };

const halves: readonly Half[] = [
  {
    name: "the agent's engine",
    first: "agent/src/compose.ts",
    foreign:
      /^agent\/src\/port\/(?!port-module)|\/(port-server|rpc-handler|memory-read-model|row-store|query-service)\.ts$/,
  },
  {
    name: "the agent's port",
    first: "agent/src/port/port-thread.ts",
    foreign:
      /^agent\/src\/(realm|engine|checks|contacts(?!\/mail\/smtp-url)|sinks|handlers|publish|journal\/write|port-host)\//,
  },
  {
    name: "the aggregator's main thread",
    first: "aggregator/src/compose.ts",
    foreign:
      /^aggregator\/src\/(port\/(?!centre-port-module)|api\/)|\/(port-server|rpc-handler|memory-read-model|row-store|query-service)\.ts$/,
  },
  {
    name: "the aggregator's port",
    first: "aggregator/src/port/centre-port-thread.ts",
    foreign: /^aggregator\/src\/(centre|ingest|port-host)\/|^aggregator\/src\/forward\/(?!realm-call)|\/nats-bus\.ts$/,
  },
];

for (const { name, first, foreign } of halves)
  test(`[PT40] ${name} loads nothing of the other half`, () => {
    const importers = loadedBy(first);
    assert.ok(importers.size > 50, `${first} imports only ${importers.size} files`);
    const broken = [...importers].flatMap(([file, by]) => (foreign.test(file) ? [`${by} imports ${file}`] : []));
    assert.deepEqual(broken, []);
  });
