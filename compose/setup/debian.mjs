import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemPath } from "./paths.mjs";
import { runLogged, runStep, SetupError } from "./steps.mjs";

/** Debian package of each program that the demo and the tests run. */
const packageOf = {
  "nats-server": "nats-server",
  "redis-server": "redis-server",
  "chromium-headless-shell": "chromium-headless-shell",
  openssl: "openssl",
  ping: "iputils-ping",
  nginx: "nginx-light",
  named: "bind9",
  snmpd: "snmpd",
};

/** Debian packages that only some tests use: without them these tests are skipped. */
const testPackages = [
  "strace",
  "libfaketime",
  "monitoring-plugins-basic",
  "monitoring-plugins-standard",
  // Receivers of sinks.
  "prometheus",
  "clickhouse-server",
  // Programs and libraries that some of the plugins use.
  "bind9-dnsutils",
  "snmp",
  "libcurl4",
  "libmariadb3",
  "liburiparser1",
  // Shells of the completions, and the program that rotates files of sinks.
  "zsh",
  "fish",
  "logrotate",
];

/** Path of a program; undefined when it is not installed. */
export const findProgram = (name) =>
  systemPath
    .split(":")
    .map((folder) => join(folder, name))
    .find(isExecutable);

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Installs the Debian packages of missing programs. Rejects with a SetupError that names the command to type when the
 * user is not root or the installation fails.
 */
export async function needPrograms(names) {
  const missing = names.filter((name) => findProgram(name) === undefined).map((name) => packageOf[name]);
  if (missing.length === 0) return;
  if (findProgram("apt-get") === undefined)
    throw new SetupError(
      `Missing: ${missing.join(", ")}. Install them with your system's package manager, then start again.`,
    );
  if (process.getuid?.() !== 0)
    throw new SetupError(`Missing: ${missing.join(", ")}. Install them with:\n  sudo ${commandFor(missing)}`);
  await runStep(`Installing ${missing.join(", ")}`, () => aptInstall(missing));
  const still = names.filter((name) => findProgram(name) === undefined);
  if (still.length > 0)
    throw new SetupError(`${missing.join(", ")} installed, but there is no program ${still.join(", ")}.`);
}

/** Module of Helm, which Debian has no package of. */
const helmModule = "helm.sh/helm/v3/cmd/helm@v3.16.4";

/** Installs what only some tests use, where it may; a failure is printed and does not end the run. */
export async function installTestPackages() {
  if (process.getuid?.() !== 0) return;
  await installTestDebianPackages();
  const { stdout: goPath } = spawnSync("go", ["env", "GOPATH"], { encoding: "utf8" });
  if (!goPath || findProgram("helm") !== undefined || existsSync(join(goPath.trim(), "bin/helm"))) return;
  const options = { log: ".demo/helm.log", env: {}, hint: `Install by hand: go install ${helmModule}` };
  await installOrSkip("helm", "Tests of the charts", () => runLogged("go", ["install", helmModule], options));
}

/** Installs something that only `tests` need, which are skipped without it. */
async function installOrSkip(what, tests, install) {
  try {
    await runStep(`Installing ${what}`, install);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.log(`  ${tests} will be skipped: ${what} could not be installed.`);
  }
}

async function installTestDebianPackages() {
  if (findProgram("apt-get") === undefined) return;
  const missing = testPackages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  await installOrSkip(missing.join(", "), "Some tests", () => aptInstall(missing));
}

const isInstalled = (name) =>
  spawnSync("dpkg", ["--status", name], { encoding: "utf8" }).stdout?.includes("\nStatus: install ok installed\n") ??
  false;

/** Command that installs packages, to be typed by a person. */
const commandFor = (packages) => `apt-get install --no-install-recommends ${packages.join(" ")}`;

function aptInstall(packages) {
  const hint = `Install by hand, then start again:\n  ${commandFor(packages)}`;
  const options = { log: ".demo/apt.log", env: { DEBIAN_FRONTEND: "noninteractive" }, hint };
  return withoutServices(async () => {
    await runLogged("apt-get", ["update", "-q"], options);
    await runLogged("apt-get", ["install", "-q", "-y", "--no-install-recommends", ...packages], options);
  });
}

/** Runs an installation that starts no services of the installed packages: the demo and the tests start their own servers. */
async function withoutServices(work) {
  const policy = "/usr/sbin/policy-rc.d";
  if (existsSync(policy)) return work();
  writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    await work();
  } finally {
    rmSync(policy, { force: true });
  }
}
