import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { parse } from "yaml";
import { read, root } from "../architecture/sources.ts";

type Service = {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
};

const { services } = parse(read("compose/compose.yaml").text, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};
const { workspaces } = JSON.parse(read("package.json").text) as { readonly workspaces: readonly string[] };

describe("compose/compose.yaml", () => {
  test("mounts and builds from existing files", () => {
    for (const { build, volumes = [] } of Object.values(services)) {
      if (build !== undefined) assert.ok(existsSync(join(root, "compose", build.context, build.dockerfile)));
      for (const [source = ""] of volumes.map((volume) => volume.split(":")))
        if (source.startsWith(".")) assert.ok(existsSync(join(root, "compose", source)), source);
    }
  });

  test("opens ports on the loopback address only", () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    assert.equal(new Set(ports).size, 3);
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
  });

  test("names a NATS of 2.10 or newer", () => {
    const [, major, minor] = /^nats:(\d+)\.(\d+)/.exec(services["nats"]?.image ?? "") ?? [];
    assert.ok(Number(major) > 2 || Number(minor) >= 10);
  });
});

for (const program of ["agent", "aggregator"])
  describe(`${program}/Dockerfile`, () => {
    const { text } = read(`${program}/Dockerfile`);

    test("copies every workspace before installing", () => {
      for (const workspace of workspaces) assert.match(text, new RegExp(`^COPY ${workspace}/package.json `, "m"));
    });

    test("copies existing files only", () => {
      for (const [, source] of text.matchAll(/^COPY (?!--from|\. )(.+) \S+$/gm))
        for (const file of (source as string).split(" ")) assert.ok(existsSync(join(root, file)), file);
    });

    test("runs without root, on the Node.js that the lock file pins", () => {
      assert.match(text, /^USER node$/m);
      const { dependencies } = JSON.parse(read("package.json").text) as { dependencies: { node: string } };
      const major = dependencies.node.split(".")[0];
      for (const [, from] of text.matchAll(/^FROM (\S+)/gm)) assert.equal(from, `node:${major}-slim`);
    });
  });
