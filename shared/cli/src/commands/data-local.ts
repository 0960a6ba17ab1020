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

export const backupCommand = cliCommand({
  path: "backup",
  words: [],
  about: "Copy an agent's journal, which may be running; no server is asked.",
  flags: { "data-dir": dataDir, out: { help: "File to write the copy to.", placeholder: "FILE", required: true } },
  run: async ({ flags: { "data-dir": dir, out }, desk }) =>
    localEnd(await desk.runAgent({ args: ["backup", `-data-dir=${dir}`, `-out=${out}`] })),
});
