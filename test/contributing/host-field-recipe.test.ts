import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generateContract } from "./generate-contract.fixture.ts";
import { openRecipe, root, type Step } from "./recipe.fixture.ts";

const product = ["shared/src", "agent/src", "aggregator/src", "shared/cli/src"];
const dashboard = {
  extends: "./shared/dashboard/tsconfig.json",
  include: ["shared/dashboard/src"],
};
const { copy, steps, write, revert, typeErrors, run } = openRecipe("docs/contributing/add-a-host-field.md", {
  folders: [...product, "proto", "shared/dashboard/src", "shared/dashboard/tsconfig.json"],
  projects: { product: { include: product }, shared: { include: ["shared/src"] }, dashboard },
});

const runTest = (file: string): Promise<string> => run("--test", join(copy, file));
const isOfProduct = ({ file }: Step): boolean => !/\.(test|fixture)\.ts$/.test(file);

test("the recipe for a field of a host takes six files of the product, and compiles with the dashboard", async () => {
  assert.ok(steps.filter(isOfProduct).length <= 6);
  for (const step of steps) write(step);
  await generateContract(copy);
  assert.equal(await typeErrors("product"), "");
  assert.equal(await typeErrors("dashboard"), "");
  for (const file of ["shared/src/row/state-row.test.ts", "shared/src/config/compile/compile-plan.test.ts"])
    await runTest(file);
});

/** Type check of a project, or test, that finds a step of the recipe that was left out; by the file of the step. */
const guards: Readonly<Record<string, () => Promise<string>>> = {
  "query.proto": () => typeErrors("shared"),
  "host.ts": () => typeErrors("shared"),
  "metadata-fields.ts": () => typeErrors("shared"),
  "object-definition.ts": () => typeErrors("shared"),
  "redis-keys.ts": () => outputOf("aggregator/src/redis/redis-codec.test.ts"),
  "configuration-panel.tsx": () => typeErrors("dashboard"),
};

const outputOf = (file: string): Promise<string> => runTest(file).catch((error: { stdout: string }) => error.stdout);

for (const step of steps.filter(isOfProduct))
  test(`without the change of ${step.file} the type check or a test fails`, async (t) => {
    const guard = guards[step.file.slice(step.file.lastIndexOf("/") + 1)];
    assert.ok(guard, step.file);
    const isContract = step.file.endsWith(".proto");
    t.after(async () => {
      write(step);
      if (isContract) await generateContract(copy);
    });
    revert(step);
    if (isContract) cpSync(join(root, "proto/gen"), join(copy, "proto/gen"), { recursive: true });
    assert.match(await guard(), /error TS|raise schemaVersion/);
  });
