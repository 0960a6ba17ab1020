import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { checkKinds } from "@realmwatch/shared/config/check-kinds/check-kinds";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/contributing/add-a-check-type.md"), "utf8");
const run = promisify(execFile);
const copy = mkdtempSync(join(tmpdir(), "realmwatch-recipe-"));
after(() => rmSync(copy, { recursive: true }));

/** Source folders of the product that a check type can concern. */
const product = ["shared/src", "agent/src", "aggregator/src", "shared/cli/src"];

/** Code block of the page: a new file, or lines that are added after context lines of an existing one. */
type Step = { readonly file: string; readonly isNew: boolean; readonly lines: readonly string[] };

const steps: readonly Step[] = [...page.matchAll(/^ {3}```(\w+) (create )?(\S+)\n([\s\S]*?)^ {3}```$/gm)].map(
  ([, , create, file = "", text = ""]) => ({
    file,
    isNew: create !== undefined,
    lines: text.split("\n").map((line) => line.slice(3)),
  }),
);

/** Sources of a file after a step. The line after which lines are added must occur exactly once. */
function applied({ file, isNew, lines }: Step): string {
  if (isNew) return lines.join("\n");
  const source = readFileSync(join(root, file), "utf8").split("\n");
  let at = 0;
  for (const line of lines.filter(Boolean)) {
    if (line.startsWith("+")) source.splice(++at, 0, line.slice(1));
    else {
      at = source.indexOf(line.slice(1));
      assert.ok(at >= 0 && at === source.lastIndexOf(line.slice(1)), `${file}: ${line}`);
    }
  }
  return source.join("\n");
}

const write = (step: Step): void => writeFileSync(join(copy, step.file), applied(step));

function revert({ file, isNew }: Step): void {
  if (isNew) rmSync(join(copy, file));
  else cpSync(join(root, file), join(copy, file));
}

/** Copies the needed sources, and links packages. Links of our own packages lead to the copy. */
function copyCheckout(): void {
  for (const folder of [...product, "proto/gen"]) cpSync(join(root, folder), join(copy, folder), { recursive: true });
  const packages = ["shared", "agent", "aggregator", "shared/cli", "proto"].map((name) => `${name}/package.json`);
  for (const file of ["tsconfig.base.json", ...packages]) cpSync(join(root, file), join(copy, file));
  const own = join(copy, "node_modules/@realmwatch");
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "@realmwatch") symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
  for (const name of ["shared", "agent", "proto"]) symlinkSync(join(copy, name), join(own, name));
  const options = { noEmit: true, composite: false, declaration: false, emitDeclarationOnly: false };
  const compilerOptions = { ...options, allowImportingTsExtensions: true, rewriteRelativeImportExtensions: false };
  const exclude = ["**/*.test.ts"];
  for (const [file, include] of Object.entries({ "product.json": product, "checks.json": ["agent/src/checks"] }))
    writeFileSync(
      join(copy, file),
      JSON.stringify({ extends: "./tsconfig.base.json", compilerOptions, include, exclude }),
    );
}

/** Errors of the type checker in the product or in the checks of the agent alone; empty without errors. */
async function typeErrors(project: "product.json" | "checks.json"): Promise<string> {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  return run(process.execPath, [tsc, "-p", join(copy, project)], { cwd: copy }).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );
}

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
  copyCheckout();
  assert.deepEqual(
    steps.map(({ file }) => basename(dirname(file))),
    ["check-kinds", "check-kinds", "types", "checks", "checks"],
  );
  for (const step of steps) write(step);
  const incomplete = join(copy, "shared/src/config/check-kinds/incomplete.ts");
  writeFileSync(incomplete, incompleteKinds);
  assert.equal(await typeErrors("product.json"), "");
  assert.equal(await typeErrors("checks.json"), "");
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
  const { stdout } = await run(process.execPath, [file], { cwd: copy });
  assert.equal(stdout, "ok\ncritical\n");
  const contract = ["--test", join(copy, "agent/src/checks/check-types.test.ts")];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  assert.match((await run(process.execPath, contract, { cwd: copy, env })).stdout, /file: an interrupted check/);
  rmSync(file);
});

for (const step of steps)
  test(`without the change of ${step.file} it does not compile`, async () => {
    revert(step);
    assert.match(await typeErrors("checks.json"), /error TS/);
    write(step);
  });

test("every check type has a reference page", () => {
  for (const type of Object.keys(checkKinds))
    assert.ok(existsSync(join(root, `docs/reference/checks/${type}.md`)), type);
});
