import { npmCommand } from "./install.mjs";
import { runLogged, runStep } from "./steps.mjs";

/** Builds all packages; turbo skips those without changes. */
export const buildPrograms = () =>
  runStep("Building", async () => {
    const [command, args] = npmCommand();
    await runLogged(command, [...args, "run", "build"], {
      log: ".demo/build.log",
      hint: "The whole log is in .demo/build.log.",
    });
  });
