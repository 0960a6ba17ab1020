import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf, importsOf, read, targetOf } from "./sources.ts";

const source = "shared/dashboard/src/";
/** Folders below `shared/dashboard/src`, lowest first. A file imports from its own layer and from those before it. */
const layers = ["api", "components", "features", "pages", "app"];
/** Pure folders of the shared code that the dashboard imports. */
const sharedCode = /^shared\/src\/(?:model|view|commands|wire\/fields)\//;
/** Imports from one feature to another that are allowed, `from -> to`, each with its reason. */
const featureImports: Readonly<Record<string, string>> = {
  "object-map -> processes": "the map has the members of a process, and the processes whose rules read an object",
};

const files = filesOf(`${source}**/*.{ts,tsx}`);

/** Layer and folder of a file: `features/history/a.ts` is in layer `features`, folder `history`. */
function locationOf(file: string): { level: number; layer: string; folder: string } {
  const path = file.slice(source.length).split("/");
  // `main.tsx` starts the application and belongs to its topmost layer.
  const [layer = "", folder = ""] = path.length === 1 ? ["app"] : path;
  const level = layers.indexOf(layer);
  assert.notEqual(level, -1, `${file}: the dashboard has no layer ${layer}`);
  return { level, layer, folder };
}

/** Reason why a file of the dashboard may not import a path; empty when it may. */
function objection(file: string, path: string): string {
  const target = targetOf(file, path);
  if (target === undefined || target.startsWith("proto/") || target.endsWith(".css")) return "";
  if (!target.startsWith(source)) return sharedCode.test(target) ? "" : "imports another program";
  const [from, to] = [locationOf(file), locationOf(target)];
  if (to.level > from.level) return `imports upwards: ${from.layer} from ${to.layer}`;
  if (from.layer !== to.layer || from.folder === to.folder) return "";
  if (from.layer === "pages") return "imports another page";
  const pair = `${from.folder} -> ${to.folder}`;
  return from.layer === "features" && !Object.hasOwn(featureImports, pair) ? `imports another feature: ${pair}` : "";
}

test("every file of the dashboard imports only from its own layer and those below", () => {
  const broken = files.flatMap((file) =>
    importsOf(read(file).text)
      .map((path) => ({ path, why: objection(file, path) }))
      .filter(({ why }) => why !== "")
      .map(({ path, why }) => `${file} ${why}: ${path}`),
  );
  assert.deepEqual(broken, []);
});

test("every allowed import between features exists and has a reason", () => {
  const pairs = files
    .filter((file) => file.startsWith(`${source}features/`))
    .flatMap((file) => importsOf(read(file).text).flatMap((path) => [[file, targetOf(file, path) ?? ""] as const]))
    .filter(([, target]) => target.startsWith(`${source}features/`))
    .map(([file, target]) => `${locationOf(file).folder} -> ${locationOf(target).folder}`);
  for (const [pair, reason] of Object.entries(featureImports)) {
    assert.ok(pairs.includes(pair), `${pair}: there is no such import any more`);
    assert.notEqual(reason, "", pair);
  }
});

test("the guard finds every kind of forbidden import", () => {
  const cases: [file: string, path: string, why: RegExp][] = [
    ["api/status/a.ts", "../../components/time/b.ts", /^imports upwards: api from components$/],
    ["components/table/a.tsx", "../../features/history/b.ts", /^imports upwards: components from features$/],
    ["features/history/a.tsx", "../../pages/history/b.tsx", /^imports upwards: features from pages$/],
    ["pages/history/a.tsx", "../../app/router.tsx", /^imports upwards: pages from app$/],
    ["pages/history/a.tsx", "../../main.tsx", /^imports upwards: pages from app$/],
    ["pages/history/a.tsx", "../realms/b.tsx", /^imports another page$/],
    ["features/history/a.tsx", "../dialogs/b.tsx", /^imports another feature: history -> dialogs$/],
    ["api/status/a.ts", "@realmwatch/shared/text/duration", /^imports another program$/],
    ["api/status/a.ts", "../../../../cli/src/output/table.ts", /^imports another program$/],
    ["api/status/a.ts", "@realmwatch/shared/model/status", /^$/],
    ["components/time/a.ts", "@realmwatch/shared/view/plural", /^$/],
    ["api/status/a.ts", "@realmwatch/shared/wire/fields/enums", /^$/],
    ["api/status/a.ts", "@realmwatch/shared/wire/history", /^imports another program$/],
    ["api/status/a.ts", "@realmwatch/proto/svc/v1/query_pb", /^$/],
    ["api/status/a.ts", "../server/b.ts", /^$/],
    ["features/history/a.tsx", "./b.ts", /^$/],
    ["pages/history/a.tsx", "../../features/history/b.ts", /^$/],
    ["main.tsx", "./app/app.tsx", /^$/],
    ["main.tsx", "./app/base.css", /^$/],
  ];
  for (const [file, path, why] of cases) assert.match(objection(source + file, path), why, `${file} -> ${path}`);
});
