import assert from "node:assert/strict";
import { test } from "node:test";
import { read } from "./sources.ts";

type Entry = { readonly version?: string; readonly optionalDependencies?: Readonly<Record<string, string>> };

// npm 11 refuses to install from a lock file that lacks a package of another platform. npm leaves such packages out
// where the registry at hand has no copy of them, so it is worth a look before a lock file is committed.
test("package-lock.json names the packages of every platform", () => {
  const { packages } = JSON.parse(read("package-lock.json").text) as { packages: Readonly<Record<string, Entry>> };
  const paths = Object.keys(packages);
  const missing = Object.entries(packages).flatMap(([owner, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !paths.some((path) => path.endsWith(`node_modules/${name}`)))
      .map((name) => `${name}, wanted by ${owner}`),
  );
  assert.deepEqual(missing, []);
});
