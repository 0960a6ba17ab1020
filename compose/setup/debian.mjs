import { accessSync, constants, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outerPath } from "./places.mjs";
import { runLogged, SetupError, step } from "./steps.mjs";

/** The Debian package that brings each program we may need. */
const packageOf = {
  "nats-server": "nats-server",
  "redis-server": "redis-server",
  chromium: "chromium",
  openssl: "openssl",
  ping: "iputils-ping",
  nginx: "nginx-light",
  named: "bind9",
  snmpd: "snmpd",
  strace: "strace",
};

/** The path of a program, or undefined where there is none. */
export const findProgram = (name) =>
  outerPath
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
 * Sees to it that programs are there: installs Debian's packages as root, else says which to install.
 * Rejects with a SetupError that holds the command to type.
 */
export async function needPrograms(names) {
  const missing = names.filter((name) => findProgram(name) === undefined).map((name) => packageOf[name]);
  if (missing.length === 0) return;
  const command = `apt-get install --no-install-recommends ${missing.join(" ")}`;
  if (findProgram("apt-get") === undefined)
    throw new SetupError(
      `Missing: ${missing.join(", ")}. Install them with your system's package manager, then start again.`,
    );
  if (process.getuid?.() !== 0)
    throw new SetupError(`Missing: ${missing.join(", ")}. Install them with:\n  sudo ${command}`);
  await step(`Installing ${missing.join(", ")}`, () => withoutServices(() => aptInstall(missing, command)));
  const still = names.filter((name) => findProgram(name) === undefined);
  if (still.length > 0)
    throw new SetupError(`${missing.join(", ")} installed, but there is no program ${still.join(", ")}.`);
}

async function aptInstall(packages, command) {
  const options = { log: ".demo/apt.log", env: { DEBIAN_FRONTEND: "noninteractive" } };
  const hint = `Install by hand, then start again:\n  ${command}`;
  await runLogged("apt-get", ["update", "-q"], { ...options, hint });
  await runLogged("apt-get", ["install", "-q", "-y", "--no-install-recommends", ...packages], { ...options, hint });
}

/** Debian's packages start their servers as they are installed; we bring our own up and want no others. */
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
