import { cliCommand } from "../cli-command.ts";
import { localEnd } from "./local-end.ts";

const dataDir = { help: "The agent's data directory.", placeholder: "DIR", required: true } as const;

export const auditVerifyCommand = cliCommand({
  path: "audit verify",
  words: [],
  about: "Check that the audit records of a data directory are as they were written; no server is asked.",
  flags: { "data-dir": dataDir },
  run: async ({ flags, desk }) =>
    localEnd(await desk.runAgent({ args: ["audit-verify", `-data-dir=${flags["data-dir"]}`] })),
});
