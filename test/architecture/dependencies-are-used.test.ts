import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf, read } from "./sources.ts";

type Manifest = { readonly [group in "dependencies" | "devDependencies"]?: Readonly<Record<string, string>> };

// Not `proto`: its code is generated.
const workspaces = ["agent", "aggregator", "shared", "shared/cli", "shared/dashboard", "test"] as const;

for (const workspace of workspaces)
  test(`every dependency of ${workspace}/package.json is imported there`, () => {
    const manifest = JSON.parse(read(`${workspace}/package.json`).text) as Manifest;
    const nested = workspaces.filter((other) => other.startsWith(`${workspace}/`));
    const sources = filesOf(`${workspace}/**/*.{ts,tsx,mjs,css}`)
      .filter((file) => !/\/(node_modules|dist)\//.test(file) && !nested.some((each) => file.startsWith(`${each}/`)))
      .map((file) => read(file).text)
      .join("\n");
    const unused = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
      (name) => !name.startsWith("@types/") && !new RegExp(`["'\`]${name}["'\`/]`).test(sources),
    );
    assert.deepEqual(unused, []);
  });
