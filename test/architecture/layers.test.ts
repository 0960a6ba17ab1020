import assert from "node:assert/strict";
import { test } from "node:test";
import { type Layer, moduleOf, readLayerTable } from "./layer-table.ts";
import { filesOf, importsOf, isTest, read, targetOf } from "./sources.ts";

const table = readLayerTable();
const files = filesOf("{shared,shared/cli,agent,aggregator}/src/**/*.ts").filter((file) => !isTest(file));
const protobufModules = [
  "view",
  "wire",
  "row",
  "shared/src/commands",
  "api",
  "port",
  "forward",
  "publish",
  "ingest",
  "sinks",
  "pair",
  "main.ts",
];
/** Highest layer of `shared` that the command line may import: it is a client and uses no adapter. */
const platformLevel = 3;

/** Name of a file's module with its program, by which the table tells two modules of one name apart. */
const qualified = (file: string): string => file.split("/").slice(0, 3).join("/");

function layerOf(file: string): Layer {
  const { program, module } = moduleOf(file);
  // The command line is in the topmost layer as a whole, whatever its folders are called.
  const layer = table.get(qualified(file)) ?? table.get(program === "cli" ? "main.ts" : module);
  assert.ok(layer, `${file}: docs/architecture.md gives no layer for "${module}"`);
  return layer;
}

/** Reason why a file may not import a path; empty when it may. */
function objection(file: string, path: string): string {
  const [own, target] = [layerOf(file), targetOf(file, path)];
  if (target === undefined) return foreignObjection(own, path);
  const [from, to] = [moduleOf(file), moduleOf(target)];
  if (to.program === "proto")
    return from.program === "cli" || [from.module, qualified(file)].some((name) => protobufModules.includes(name))
      ? ""
      : "imports protobuf messages";
  if (to.program !== from.program && to.program !== "shared") return `reaches into ${to.program}`;
  const other = layerOf(target);
  if (from.program === "cli" && to.program === "shared" && other.level > platformLevel)
    return `is a client and imports ${to.module}`;
  if (other.level > own.level) return `imports upwards: ${own.name} from ${other.name}`;
  const isNeighbour = from.module !== to.module || from.program !== to.program;
  return own.name === "adapters" && other.name === "adapters" && isNeighbour ? "imports another adapter" : "";
}

function foreignObjection(own: Layer, path: string): string {
  if (own.name === "model") return "is of the model and imports a package";
  return own.name === "domain" && path.startsWith("node:") ? "is of the domain and imports Node.js" : "";
}

test("docs/architecture.md names every layer", () => {
  assert.deepEqual([...new Set([...table.values()].map((layer) => layer.level))].sort(), [0, 1, 2, 3, 4, 5]);
});

test("every file is in a folder that docs/architecture.md names", () => {
  for (const file of files) assert.doesNotThrow(() => layerOf(file));
});

test("every file imports only from layers below its own", () => {
  const broken = files.flatMap((file) =>
    importsOf(read(file).text)
      .map((path) => ({ path, why: objection(file, path) }))
      .filter(({ why }) => why !== "")
      .map(({ path, why }) => `${file} ${why}: ${path}`),
  );
  assert.deepEqual(broken, []);
});

test("the guard finds every kind of forbidden import", () => {
  const cases: [file: string, path: string, why: RegExp][] = [
    ["agent/src/engine/a.ts", "node:fs", /is of the domain/],
    ["agent/src/engine/a.ts", "@realmwatch/shared/platform/log/log", /imports upwards/],
    ["shared/src/commands/a.ts", "../api/a.ts", /imports upwards/],
    ["agent/src/commands/a.ts", "@realmwatch/proto/svc/v1/query_pb", /protobuf/],
    ["shared/src/commands/a.ts", "@realmwatch/proto/svc/v1/command_pb", /^$/],
    ["agent/src/checks/a.ts", "../sinks/file.ts", /another adapter/],
    ["agent/src/checks/types/a.ts", "../../sinks/file.ts", /another adapter/],
    ["agent/src/checks/a.ts", "@realmwatch/shared/identity/role", /another adapter/],
    ["agent/src/checks/a.ts", "@realmwatch/proto/svc/v1/query_pb", /protobuf/],
    ["agent/src/compose.ts", "@realmwatch/aggregator/compose", /reaches into/],
    ["shared/src/model/a.ts", "zod", /is of the model/],
    ["agent/src/checks/a.ts", "../engine/step.ts", /^$/],
    ["agent/src/checks/types/a.ts", "../b.ts", /^$/],
    ["shared/cli/src/commands/a.ts", "@realmwatch/agent/commands/b", /reaches into agent/],
    ["shared/cli/src/a.ts", "@realmwatch/shared/load/load-document", /is a client/],
    ["shared/src/api/a.ts", "@realmwatch/cli/output/table", /reaches into cli/],
    ["shared/cli/src/commands/a.ts", "../table.ts", /^$/],
    ["shared/cli/src/commands/a.ts", "@realmwatch/proto/svc/v1/query_pb", /^$/],
    ["shared/cli/src/a.ts", "@realmwatch/shared/platform/flags/flags", /^$/],
    ["aggregator/src/forward/a.ts", "@realmwatch/proto/svc/v1/realm_pb", /^$/],
  ];
  for (const [file, path, why] of cases) assert.match(objection(file, path), why, `${file} -> ${path}`);
});

/** Folders that serve or make calls, by law 3 of docs/architecture.md. */
const transportFolders =
  /^(shared\/src\/(api|platform\/rpc)|aggregator\/src\/forward|agent\/src\/pair\/link|shared\/cli\/src\/connection)\//;

test("codes of the transport are named only where it is spoken", () => {
  const product = files.filter((file) => !file.endsWith(".fixture.ts"));
  const outside = product.filter((file) => !transportFolders.test(file) && /\bCode\.[A-Z]/.test(read(file).text));
  assert.deepEqual(outside, []);
});
