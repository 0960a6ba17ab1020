import assert from "node:assert/strict";
import { test } from "node:test";
import { openRecipe } from "./recipe.fixture.ts";

/** Source folders of the product that a contact kind can concern. */
const product = ["shared/src", "agent/src", "aggregator/src", "shared/cli/src"];
const { steps, write, revert, typeErrors, run } = openRecipe("docs/contributing/add-a-contact-kind.md", {
  folders: [...product, "proto/gen"],
  projects: { product: { include: product }, contacts: { include: ["agent/src/contacts"] } },
});
const isTest = ({ file }: (typeof steps)[number]): boolean => file.endsWith(".test.ts");

test("the recipe for a contact kind compiles in the whole product, and the contact passes the contract", async () => {
  assert.equal(steps.length, 5);
  for (const step of steps) write(step);
  assert.equal(await typeErrors("product"), "");
  const tests = steps.filter(isTest).map(({ file }) => file);
  const report = await run("--test", "--disable-warning=ExperimentalWarning", ...tests);
  assert.match(report, /ntfy: delivers a notification of every kind/);
});

for (const step of steps.filter((each) => !isTest(each)))
  test(`without the change of ${step.file} it does not compile`, async () => {
    revert(step);
    assert.match(await typeErrors("contacts"), /error TS/);
    write(step);
  });
