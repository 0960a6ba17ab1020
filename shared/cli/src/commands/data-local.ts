import { cliCommand } from "../cli-command.ts";
import { localResult } from "../local/local-result.ts";

const dataDir = { help: "The agent's data directory.", placeholder: "DIR", required: true } as const;

export const auditVerifyCliCommand = cliCommand({
  path: "audit verify",
  args: [],
  summary: "Verify the hash chain of the audit records of a data directory, without a server.",
  flags: { "data-dir": dataDir },
  run: async ({ flags, context }) =>
    localResult(await context.runAgent({ args: ["audit-verify", `-data-dir=${flags["data-dir"]}`] })),
});

export const backupCliCommand = cliCommand({
  path: "backup",
  args: [],
  summary: "Copy the journal of an agent, which may be running, without a server.",
  flags: { "data-dir": dataDir, out: { help: "File to write the copy to.", placeholder: "FILE", required: true } },
  run: async ({ flags: { "data-dir": dir, out }, context }) =>
    localResult(await context.runAgent({ args: ["backup", `-data-dir=${dir}`, `-out=${out}`] })),
});
