import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, test } from "node:test";

import { goldenFile, goldens, goldenText } from "./golden.ts";
import { findHelm } from "./render.ts";

const helm = findHelm() ?? "";
const skip = helm === "" && "helm is not installed: go install helm.sh/helm/v3/cmd/helm@latest";

describe("manifests of the charts are those of test/charts/golden; node test/charts/write.ts renews them", {
  skip,
}, () => {
  for (const golden of goldens)
    test(golden.name, () => assert.equal(goldenText(helm, golden), readFileSync(goldenFile(golden.name), "utf8")));

  test("no file there is without a release", () => {
    const names = goldens.map(({ name }) => `${name}.yaml`);
    assert.deepEqual(readdirSync(dirname(goldenFile("x"))).sort(), names.toSorted());
  });
});
