import { spawnSync } from "node:child_process";

/** Reason to skip tests that run the program `ping`; false when this user and machine permit it. */
export const pingSkipReason: string | false =
  spawnSync("ping", ["-n", "-c", "1", "127.0.0.1"]).status === 0 ? false : "ping may send no echoes here";
