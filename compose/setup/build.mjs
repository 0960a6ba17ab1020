import { runNpm } from "./install.mjs";
import { runStep } from "./steps.mjs";

/** Builds all packages; turbo skips those without changes. */
export const buildPrograms = () =>
  runStep("Building", () =>
    runNpm(["run", "build"], { log: ".demo/build.log", hint: "The whole log is in .demo/build.log." }),
  );
