import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { checkKinds } from "@realmwatch/shared/config/check-kinds/check-kinds";
import { openRecipe, root } from "./recipe.fixture.ts";

/** Source folders of the product that a check type can concern. */
const product = ["shared/src", "agent/src", "aggregator/src", "shared/cli/src"];
const { copy, steps, write, revert, typeErrors, run } = openRecipe("docs/contributing/add-a-check-type.md", {
  folders: [...product, "proto/gen"],
  projects: { product: { include: product }, checks: { include: ["agent/src/checks"] } },
});

/** Kinds that lack a declaration; without its comment each would be an error. */
const incompleteKinds = `import { checkKind } from "./check-kind.ts";
import { fileCheckKind } from "./file.ts";
const { summary, uses, fields, compile, target } = fileCheckKind;
checkKind({ summary, uses, fields, compile, target });
// @ts-expect-error A kind without \`uses\`.
checkKind({ summary, fields, compile, target });
// @ts-expect-error A kind without \`target\`.
checkKind({ summary, uses, fields, compile });
`;

test("the recipe for a check type compiles in the whole product, and the check runs", async () => {
  assert.deepEqual(
    steps.map(({ file }) => basename(dirname(file))),
    ["check-kinds", "check-kinds", "types", "checks", "checks"],
  );
  for (const step of steps) write(step);
  const incomplete = join(copy, "shared/src/config/check-kinds/incomplete.ts");
  writeFileSync(incomplete, incompleteKinds);
  assert.equal(await typeErrors("product"), "");
  assert.equal(await typeErrors("checks"), "");
  rmSync(incomplete);

  const file = join(copy, "agent/src/checks/types/file.test.ts");
  writeFileSync(
    file,
    `import { runCheck } from "../run-check.ts";
import { checkEnvironment, openTestDependencies, servicePlan } from "../plan.fixture.ts";
const dependencies = openTestDependencies();
for (const path of [import.meta.filename, "/nowhere"])
  console.log((await runCheck(servicePlan({ type: "file", path }), checkEnvironment(), dependencies)).status);
await dependencies.close();
`,
  );
  assert.equal(await run(file), "ok\ncritical\n");
  const contract = join(copy, "agent/src/checks/check-types.test.ts");
  assert.match(await run("--test", contract), /file: an interrupted check/);
  rmSync(file);
});

for (const step of steps)
  test(`without the change of ${step.file} it does not compile`, async () => {
    revert(step);
    assert.match(await typeErrors("checks"), /error TS/);
    write(step);
  });

test("every check type has a reference page", () => {
  for (const type of Object.keys(checkKinds))
    assert.ok(existsSync(join(root, `docs/reference/checks/${type}.md`)), type);
});
