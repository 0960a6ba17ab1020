import { fail, ok } from "@realmwatch/shared/model/result";
import { anyText } from "@realmwatch/shared/platform/flags/flag-parsers";
import { optionalFlag } from "@realmwatch/shared/platform/flags/optional-flags";
import { type ProgramExit, subCommand } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { agentFlags } from "../flags.ts";
import { backUpJournal } from "../journal/back-up-journal.ts";

const flags = {
  "data-dir": agentFlags["data-dir"],
  out: optionalFlag("File to write the copy to.", "FILE", anyText),
} as const;

/** `backup -data-dir DIR -out FILE`: writes a consistent copy of the journal, also while the agent runs. */
export const backupSubCommand = subCommand({
  words: [],
  flags,
  async run({ values: { dataDir, out }, progress }) {
    if (out === "") return fail({ code: 2, lines: ["realmwatch-agent: -out is needed: a file"] } satisfies ProgramExit);
    const copied = await backUpJournal(dataDir, out, { clock: systemClock, progress });
    if (!copied.ok) return copied;
    const { bytes, lastCommandSeq, lastHistorySeq } = copied.value;
    return ok(`${out}: ${bytes} bytes, up to command ${lastCommandSeq} and history record ${lastHistorySeq}`);
  },
});
