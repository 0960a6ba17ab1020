// `npm start`: from a fresh checkout to two realms, an aggregator and a dashboard, with nothing installed before.
// Plain JavaScript, because it runs on whatever Node.js (20 or newer) is there until the pinned one is installed.
import { join } from "node:path";
import { buildPrograms } from "../setup/build.mjs";
import { endOf, family } from "../setup/children.mjs";
import { needPrograms } from "../setup/debian.mjs";
import { runRecord } from "../setup/former-run.mjs";
import { installPackages } from "../setup/install.mjs";
import { isFree } from "../setup/ports.mjs";
import { makeOwnFolder, SetupError, step, stopSteps } from "../setup/steps.mjs";
import { help, portFlags, readFlags } from "./flags.mjs";
import { folder, startDemo } from "./programs.mjs";

const record = runRecord(join(folder, "running"));
const programs = family({
  born: record.add,
  hear: (name, text) => console.log(`${name.padEnd(10)} ${text}`),
  lost: ({ name, log }, how) => quit(`${name} ${how}. The end of ${log}:\n${endOf(log)}`),
});

let quitting = false;
let claimed = false;
async function quit(reason) {
  if (quitting) return;
  quitting = true;
  if (reason) console.error(`\n${reason}`);
  else console.log("\nStopping …");
  stopSteps();
  await programs.stopAll();
  if (claimed) record.release();
  process.exit(reason ? 1 : 0);
}

// A terminal sends Ctrl-C to us and to npm, and npm sends it on: the same wish twice. Only a later one is impatience.
let firstAskedMs = 0;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    firstAskedMs ||= Date.now();
    if (Date.now() - firstAskedMs > 2_000) programs.killAll();
    quit();
  });
process.on("exit", () => programs.killAll());

async function needPorts(ports) {
  for (const [flag, port] of Object.entries(ports))
    if (!(await isFree(port)))
      throw new SetupError(
        `Port ${port} is taken; it is wanted for ${portFlags[flag].what}. Choose another: npm start -- --${flag} ${port + 10}`,
      );
}

try {
  const flags = readFlags(process.argv.slice(2));
  if (flags.help) {
    console.log(help);
    process.exit(0);
  }
  makeOwnFolder();
  await record.claim();
  claimed = true;
  await needPorts(flags.ports);
  await needPrograms(["nats-server", "redis-server"]);
  await installPackages();
  await buildPrograms();
  const told = await step("Starting", () => startDemo(programs, flags.ports));
  console.log(told);
} catch (error) {
  if (!quitting) await quit(error instanceof SetupError ? error.message : error.stack);
}
