// Prepares a machine for tests and benchmarks: packages, programs and a build.
import { pathToFileURL } from "node:url";
import { buildPrograms } from "../../compose/setup/build.mjs";
import { installTestPackages, needPrograms } from "../../compose/setup/debian.mjs";
import { installPackages } from "../../compose/setup/install.mjs";
import { makeOwnFolder, SetupError, stopSteps } from "../../compose/setup/steps.mjs";

/** Installs and builds all that tests and benchmarks use. Rejects with a SetupError that names what is missing. */
export async function setUp() {
  makeOwnFolder();
  await needPrograms([
    "nats-server",
    "redis-server",
    "chromium-headless-shell",
    "openssl",
    "ping",
    "nginx",
    "named",
    "snmpd",
  ]);
  await installTestPackages();
  await installPackages();
  await buildPrograms();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
  process.on("exit", stopSteps);
  try {
    await setUp();
  } catch (error) {
    console.error(error instanceof SetupError ? error.message : error);
    process.exitCode = 1;
  }
}
