import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { read, root } from "../architecture/sources.ts";
import { acceptedValues } from "./accepted-values.ts";
import { chartReadme } from "./chart-readme.ts";
import { pairValues, refusedValues } from "./refused-values.ts";
import { argsOf, at, findHelm, type Manifest, pick, podOf, render } from "./render.ts";
import { valuesSchema } from "./values-schema.ts";

const helm = findHelm() ?? "";
const skip = helm === "" && "helm is not installed: go install helm.sh/helm/v3/cmd/helm@latest";
for (const program of ["agent", "aggregator"] as const)
  test(`schema and README of realmwatch-${program} are made from its values: node test/charts/write.ts`, () => {
    const folder = join(root, "charts", `realmwatch-${program}`);
    assert.equal(readFileSync(join(folder, "values.schema.json"), "utf8"), valuesSchema(program));
    assert.equal(readFileSync(join(folder, "README.md"), "utf8"), chartReadme(`realmwatch-${program}`));
  });

describe("values that are rendered", { skip }, () => {
  for (const [what, charts, values, check, expected] of acceptedValues)
    for (const chart of charts)
      test(`${chart}: ${what}`, () => assert.deepEqual(check(render(helm, chart, values)), expected));
});

test("each pod of a pair starts the image's program with the address of the other one", { skip }, () => {
  const container = at(podOf(render(helm, "realmwatch-agent", pairValues)), "containers", 0);
  const [shell = "", option = "", script = "", name = ""] = at(container, "command") as string[];
  const entry = JSON.parse(
    /^ENTRYPOINT (\[.*agent.*\])$/m.exec(read("compose/Dockerfile").text)?.[1] ?? "[]",
  ) as string[];
  assert.match(script, new RegExp(`exec ${RegExp.escape(entry.join(" "))} `));
  const startedBy = (pod: string): string =>
    execFileSync(shell, [option, script.replace(entry[0] as string, "echo"), name, "-realm=fra"], {
      env: { ...process.env, POD_NAME: pod },
      encoding: "utf8",
    });
  for (const [pod, other] of [
    ["rel-realmwatch-agent-0", "rel-realmwatch-agent-1"],
    ["rel-realmwatch-agent-1", "rel-realmwatch-agent-0"],
  ] as const)
    assert.match(
      startedBy(pod),
      new RegExp(`-realm=fra -pair-peer=http://${other}\\.rel-realmwatch-agent-members\\.watch\\.svc:8080\n$`),
    );
});

describe("values that are refused with a sentence that names them", { skip }, () => {
  for (const [what, charts, values, message] of refusedValues)
    for (const chart of charts)
      test(`${chart}: ${what}`, () => assert.throws(() => render(helm, chart, values), message));
});

describe("the chart of a centre or a datacenter", { skip }, () => {
  const rendered = (part: string, values: object = {}): readonly Manifest[] =>
    render(helm, "realmwatch", values, ["--values", join(root, "charts", "realmwatch", `values-${part}.yaml`)]);

  test("installs two aggregators with the values of a centre", () => {
    const manifests = rendered("centre");
    assert.equal(at(pick(manifests, "Deployment"), "spec", "replicas"), 2);
    assert.ok(argsOf(manifests).includes("-redis-url=redis://redis:6379"));
    assert.ok(manifests.every(({ kind }) => kind !== "StatefulSet"));
  });

  test("installs an agent with the values of a datacenter", () => {
    const manifests = rendered("datacenter", { agent: { realm: "ams" } });
    assert.ok(argsOf(manifests).includes("-realm=ams"));
    assert.ok(manifests.every(({ kind }) => kind !== "Deployment"));
  });

  test("refuses what its charts refuse", () => {
    assert.throws(() => rendered("datacenter", { agent: { realmz: "ams" } }), /realmz/);
    assert.throws(() => rendered("centre", { aggregater: {} }), /aggregater/);
  });
});
