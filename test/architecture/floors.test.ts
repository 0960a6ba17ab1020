import assert from "node:assert/strict";
import { posix } from "node:path";
import { test } from "node:test";
import { type Floor, placeOf, readHouseTable } from "./house-table.ts";
import { filesOf, importsOf, isTest, read } from "./sources.ts";

const table = readHouseTable();
const files = filesOf("{shared,shared/cli,agent,aggregator}/src/**/*.ts").filter((file) => !isTest(file));
const protobufPlaces = ["wire", "api", "forward", "publish", "ingest", "main.ts"];
/** The highest floor of `shared` that the command line stands on: it is a client, and enters no room. */
const toolsLevel = 3;

function floorOf(file: string): Floor {
  const { program, place } = placeOf(file);
  // The command line has one floor, the topmost, whatever its folders are called.
  const floor = table.get(program === "cli" ? "main.ts" : place);
  assert.ok(floor, `${file}: docs/architecture.md does not say on which floor "${place}" is`);
  return floor;
}

/** The file that an import means, relative to the checkout; undefined for packages that are not ours. */
function targetOf(file: string, path: string): string | undefined {
  if (path.startsWith(".")) return posix.join(posix.dirname(file), path);
  const own = /^@realmwatch\/(\w+)\/(.+)$/.exec(path);
  if (own === null) return undefined;
  if (own[1] === "proto") return `proto/${own[2]}`;
  return `${own[1] === "cli" ? "shared/cli" : own[1]}/src/${own[2]}.ts`;
}

/** Why a file may not import a path; empty where it may. */
function objection(file: string, path: string): string {
  const [own, target] = [floorOf(file), targetOf(file, path)];
  if (target === undefined) return ownsNoOutside(own, path);
  const [from, to] = [placeOf(file), placeOf(target)];
  if (to.program === "proto")
    return from.program === "cli" || protobufPlaces.includes(from.place) ? "" : "sees protobuf messages";
  if (to.program !== from.program && to.program !== "shared") return `reaches into ${to.program}`;
  const other = floorOf(target);
  if (from.program === "cli" && to.program === "shared" && other.level > toolsLevel)
    return `is a client and enters ${to.place}`;
  if (other.level > own.level) return `looks up: ${own.name} to ${other.name}`;
  const isNeighbour = from.place !== to.place || from.program !== to.program;
  return own.name === "rooms" && other.name === "rooms" && isNeighbour ? "enters another room" : "";
}

function ownsNoOutside(own: Floor, path: string): string {
  if (own.name === "words") return "is a word and imports a package";
  return own.name === "rules" && path.startsWith("node:") ? "is a rule and touches Node.js" : "";
}

test("docs/architecture.md names every floor", () => {
  assert.deepEqual([...new Set([...table.values()].map((floor) => floor.level))].sort(), [0, 1, 2, 3, 4, 5]);
});

test("every file looks only down", () => {
  const broken = files.flatMap((file) =>
    importsOf(read(file).text)
      .map((path) => ({ path, why: objection(file, path) }))
      .filter(({ why }) => why !== "")
      .map(({ path, why }) => `${file} ${why}: ${path}`),
  );
  assert.deepEqual(broken, []);
});

test("the guard sees what it should", () => {
  const cases: [file: string, path: string, why: RegExp][] = [
    ["agent/src/engine/a.ts", "node:fs", /is a rule/],
    ["agent/src/engine/a.ts", "@realmwatch/shared/platform/log", /looks up/],
    ["agent/src/checks/a.ts", "../sinks/file.ts", /another room/],
    ["agent/src/checks/a.ts", "@realmwatch/shared/identity/role", /another room/],
    ["agent/src/checks/a.ts", "@realmwatch/proto/svc/v1/query_pb", /protobuf/],
    ["agent/src/compose.ts", "@realmwatch/aggregator/compose", /reaches into/],
    ["shared/src/words/a.ts", "zod", /is a word/],
    ["agent/src/checks/a.ts", "../engine/step.ts", /^$/],
    ["agent/src/checks/a.ts", "./b.ts", /^$/],
    ["shared/cli/src/commands/a.ts", "@realmwatch/agent/commands/b", /reaches into agent/],
    ["shared/cli/src/a.ts", "@realmwatch/shared/load/load-document", /is a client/],
    ["shared/src/api/a.ts", "@realmwatch/cli/table", /reaches into cli/],
    ["shared/cli/src/commands/a.ts", "../table.ts", /^$/],
    ["shared/cli/src/commands/a.ts", "@realmwatch/proto/svc/v1/query_pb", /^$/],
    ["shared/cli/src/a.ts", "@realmwatch/shared/platform/flags", /^$/],
    ["aggregator/src/forward/a.ts", "@realmwatch/proto/svc/v1/realm_pb", /^$/],
  ];
  for (const [file, path, why] of cases) assert.match(objection(file, path), why, `${file} -> ${path}`);
});
