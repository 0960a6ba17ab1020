import assert from "node:assert/strict";
import { test } from "node:test";
import { agentSubCommands } from "@realmwatch/agent/commands/agent-sub-commands";
import { agentFlags } from "@realmwatch/agent/flags";
import { natsSubCommands } from "@realmwatch/aggregator/commands/nats-sub-commands";
import { aggregatorFlags } from "@realmwatch/aggregator/flags";
import { auditVerifySubCommand } from "@realmwatch/shared/api/audit/audit-verify-command";
import { identitySubCommands } from "@realmwatch/shared/identity/sub-commands";
import { type FlagTable, parseFlags, type SubCommandSyntax } from "@realmwatch/shared/platform/flags/flags";
import { documentedLines } from "@realmwatch/shared/platform/testing/documented-lines.fixture";

const programs: [name: string, flags: FlagTable, commands: Readonly<Record<string, SubCommandSyntax>>][] = [
  ["realmwatch-agent", agentFlags, agentSubCommands],
  [
    "realmwatch-aggregator",
    aggregatorFlags,
    { ...identitySubCommands, "audit-verify": auditVerifySubCommand, ...natsSubCommands },
  ],
];

for (const [name, flags, commands] of programs)
  test(`every command line of ${name} in the documentation has commands, flags and values that exist`, () => {
    const lines = documentedLines(name);
    assert.ok(lines.length > 5);
    const wrong = lines.flatMap(({ place, args }) => {
      const parsed = parseFlags(flags, { args, env: {}, commands });
      if (parsed.ok || parsed.error.kind !== "usage") return [];
      // Files of secrets exist on the reader's machine only.
      return parsed.error.message.includes("cannot be read") ? [] : [`${place}: ${parsed.error.message}`];
    });
    assert.deepEqual(wrong, []);
  });
