// `npm start`: from a fresh checkout to two realms, an aggregator and a dashboard, with nothing installed before.
// Plain JavaScript, because it runs on any Node.js from version 20 on until the pinned one is installed.
import { join } from "node:path";
import { buildPrograms } from "../setup/build.mjs";
import { needPrograms } from "../setup/debian.mjs";
import { installPackages } from "../setup/install.mjs";
import { isFree } from "../setup/ports.mjs";
import { lastLinesOf, openProgramGroup } from "../setup/program-group.mjs";
import { openRunRecord } from "../setup/run-record.mjs";
import { makeOwnFolder, runStep, SetupError, stopSteps } from "../setup/steps.mjs";
import { help, portFlags, readFlags } from "./flags.mjs";
import { folder, startDemo } from "./programs.mjs";

const record = openRunRecord(join(folder, "running"));
const programs = openProgramGroup({
  onStart: record.add,
  onLine: (name, text) => console.log(`${name.padEnd(10)} ${text}`),
  onUnexpectedExit: ({ name, log }, how) => quit(`${name} ${how}. The end of ${log}:\n${lastLinesOf(log)}`),
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

// A terminal sends Ctrl-C to this process and to npm, and npm forwards it: one Ctrl-C arrives twice. Only an interrupt
// more than 2 s later kills the programs at once.
let firstSignalMs = 0;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    firstSignalMs ||= Date.now();
    if (Date.now() - firstSignalMs > 2_000) programs.killAll();
    quit();
  });
process.on("exit", () => programs.killAll());

async function needPorts(ports) {
  for (const [flag, port] of Object.entries(ports))
    if (!(await isFree(port)))
      throw new SetupError(
        `Port ${port} is in use; it is needed for ${portFlags[flag].what}. Choose another: npm start -- --${flag} ${port + 10}`,
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
  const text = await runStep("Starting", () => startDemo(programs, flags));
  console.log(text);
} catch (error) {
  if (!quitting) await quit(error instanceof SetupError ? error.message : error.stack);
}
