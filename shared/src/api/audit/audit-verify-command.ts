import { type VerifiedAudit, verifyAudit } from "../../audit/verify-audit.ts";
import { fail, ok } from "../../model/result.ts";
import { subCommand } from "../../platform/process/run-program.ts";
import { formatInstant } from "../../text/instant.ts";
import { counted } from "../../view/plural.ts";
import { programFlags } from "../program-flags.ts";

/** `audit-verify -data-dir DIR`: verifies that the audit records of a data directory are complete and unchanged. */
export const auditVerifySubCommand = subCommand({
  words: [],
  flags: { "data-dir": programFlags["data-dir"] },
  async run({ values }) {
    const verified = verifyAudit(values.dataDir);
    return verified.ok ? ok(format(verified.value)) : fail(verified.error);
  },
});

function format({ records, anchor, head, spanMs }: VerifiedAudit): string {
  if (spanMs === undefined) return `the audit log is intact: it holds no records${formatTrimmed(anchor.seq)}`;
  const [fromMs, toMs] = spanMs;
  const hash = Buffer.from(head.hash).toString("hex");
  return [
    `the audit log is intact: ${counted(records, "record")}, ${formatInstant(fromMs)} to ${formatInstant(toMs)}${formatTrimmed(anchor.seq)}`,
    `record ${head.seq} has the hash ${hash}`,
  ].join("\n");
}

const formatTrimmed = (seq: number): string => (seq === 0 ? "" : `; retention deleted those up to ${seq}`);
