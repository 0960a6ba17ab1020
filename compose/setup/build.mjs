import { npmCommand } from "./install.mjs";
import { runLogged, step } from "./steps.mjs";

/** Builds all packages; turbo skips those without changes. */
export const buildPrograms = () =>
  step("Building", async () => {
    const [command, args] = npmCommand();
    await runLogged(command, [...args, "run", "build"], {
      log: ".demo/build.log",
      hint: "The whole log is in .demo/build.log.",
    });
  });
