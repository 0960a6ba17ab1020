// Everything that tests and benchmarks need, from a bare machine on: packages, programs, a build.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildPrograms } from "../../compose/setup/build.mjs";
import { needPrograms } from "../../compose/setup/debian.mjs";
import { installPackages } from "../../compose/setup/install.mjs";
import { root } from "../../compose/setup/places.mjs";
import { SetupError, stopSteps } from "../../compose/setup/steps.mjs";

/** Rejects with a SetupError that says what is missing. */
export async function setUp() {
  mkdirSync(join(root, ".demo"), { recursive: true, mode: 0o700 });
  await needPrograms(["nats-server", "redis-server", "chromium", "openssl", "ping"]);
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
