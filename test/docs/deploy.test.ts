import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fencesOf } from "@realmwatch/shared/platform/testing/documented-lines.fixture";
import { parse } from "yaml";
import { read, root } from "../architecture/sources.ts";
import { findHelm, render } from "../charts/render.ts";
import { tempFolder } from "../run/processes.ts";
import { skipWithoutHelm, withoutCluster } from "./without-cluster.ts";

const fences = fencesOf(read("docs/how-to/deploy.md").text);
const textsOf = (language: string): string[] =>
  fences.filter((fence) => fence.language === language).map(({ text }) => text);

describe("docs/how-to/deploy.md", { skip: skipWithoutHelm }, () => {
  test("its commands build, install and render what exists", (t) => {
    const folder = tempFolder(t, "deploy");
    for (const name of ["charts", "compose", "agent", "aggregator"]) symlinkSync(join(root, name), join(folder, name));
    writeFileSync(join(folder, "fra.cue"), "hosts: {}\n");
    writeFileSync(join(folder, "realms.cue"), "realms: fra: {}\n");
    const commands = textsOf("sh");
    assert.ok(commands.length > 2);
    execFileSync("bash", ["-euc", [withoutCluster, ...commands].join("\n")], { cwd: folder, stdio: "pipe" });
  });

  for (const [at, text] of textsOf("yaml").entries())
    test(`its values ${at + 1} are those of both charts`, () => {
      for (const chart of ["realmwatch-agent", "realmwatch-aggregator"])
        assert.ok(render(findHelm() ?? "", chart, parse(text)).length > 0);
    });
});
