import { type VerifiedAudit, verifyAudit } from "../../audit/verify-audit.ts";
import { fail, ok } from "../../model/result.ts";
import { subCommand } from "../../platform/process/run-program.ts";
import { showInstant } from "../../text/instant.ts";
import { programFlags } from "../program-flags.ts";

/** `audit-verify -data-dir DIR`: whether the audit records of a data directory are as they were written. */
export const auditVerifySubCommand = subCommand({
  words: [],
  flags: { "data-dir": programFlags["data-dir"] },
  async run({ values }) {
    const verified = verifyAudit(values.dataDir);
    return verified.ok ? ok(show(verified.value)) : fail(verified.error);
  },
});

function show({ records, anchor, head, spanMs }: VerifiedAudit): string {
  if (spanMs === undefined) return `the audit log is whole: it holds no records${showTrimmed(anchor.seq)}`;
  const [fromMs, toMs] = spanMs;
  const hash = Buffer.from(head.hash).toString("hex");
  return [
    `the audit log is whole: ${records} records, ${showInstant(fromMs)} to ${showInstant(toMs)}${showTrimmed(anchor.seq)}`,
    `record ${head.seq} has the hash ${hash}`,
  ].join("\n");
}

const showTrimmed = (seq: number): string => (seq === 0 ? "" : `; retention took those up to ${seq}`);
