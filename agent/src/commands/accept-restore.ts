import { fail, ok } from "@realmwatch/shared/model/result";
import { subCommand } from "@realmwatch/shared/platform/process/run-program";
import { agentFlags } from "../flags.ts";
import { acceptRestoredCopy } from "../journal/damage/restored-copy.ts";

/** `accept-restore -data-dir DIR`: accepts that an older copy of the data is in use, also while the agent runs. */
export const acceptRestoreSubCommand = subCommand({
  words: [],
  flags: { "data-dir": agentFlags["data-dir"] },
  async run({ values: { dataDir } }) {
    const accepted = await acceptRestoredCopy(dataDir);
    if (!accepted.ok) return fail(accepted.error);
    return ok(`${dataDir}: ${accepted.value === "" ? "no loss has to be accepted" : `accepted: ${accepted.value}`}`);
  },
});
