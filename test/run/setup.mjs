// Everything that tests and benchmarks need, from a bare machine on: packages, programs, a build.
import { pathToFileURL } from "node:url";
import { buildPrograms } from "../../compose/setup/build.mjs";
import { needPrograms } from "../../compose/setup/debian.mjs";
import { installPackages } from "../../compose/setup/install.mjs";
import { makeOwnFolder, SetupError, stopSteps } from "../../compose/setup/steps.mjs";

/** Rejects with a SetupError that says what is missing. */
export async function setUp() {
  makeOwnFolder();
  await needPrograms([
    "nats-server",
    "redis-server",
    "chromium",
    "openssl",
    "ping",
    "nginx",
    "named",
    "snmpd",
    "strace",
  ]);
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
