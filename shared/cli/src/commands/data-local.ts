import { agentCommand } from "../local/agent-command.ts";

const dataDir = { help: "The agent's data directory.", placeholder: "DIR", required: true } as const;

export const auditVerifyCliCommand = agentCommand({
  path: "audit verify",
  args: [],
  summary: "Verify the hash chain of the audit records of a data directory, without a server.",
  flags: { "data-dir": dataDir },
  program: "audit-verify",
});

export const backupCliCommand = agentCommand({
  path: "backup",
  args: [],
  summary: "Copy the journal of an agent, which may be running, without a server.",
  flags: { "data-dir": dataDir, out: { help: "File to write the copy to.", placeholder: "FILE", required: true } },
  program: "backup",
});
