import { quoteText } from "../parser/parser.ts";
import { digestOfTokenHash } from "../parser/token-hash.ts";
import type { ReceiverPlan } from "../plan.ts";
import { type CompileContext, reportProblem } from "./compile-context.ts";

export function compileReceivers(c: CompileContext): readonly ReceiverPlan[] {
  return [...c.document.receivers].flatMap(([name, receiver]) => {
    if (receiver === undefined) return [];
    const { type, host, service, severity, token_hash: tokenHash } = receiver;
    for (const [at, value] of severity.warning.entries())
      if (severity.critical.includes(value))
        reportProblem(
          c,
          ["receivers", name, "severity", "warning", at],
          `is ${quoteText(value)}, which is in critical already`,
          { conflicts: [["receivers", name, "severity", "critical", severity.critical.indexOf(value)]] },
        );
    return [
      {
        ...{ name, type, host, service, severity },
        tokenDigest: tokenHash === undefined ? undefined : digestOfTokenHash(tokenHash),
      },
    ];
  });
}
