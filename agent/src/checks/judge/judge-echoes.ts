import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import type { EchoRoundResult } from "../../platform/icmp/echo-protocol.ts";
import { describeErrorCode } from "../../platform/network/describe-error.ts";
import { secondsPerfPoint } from "./elapsed.ts";

/** Echoes sent to a host and replies received. */
type EchoCount = Omit<Extract<EchoRoundResult, { readonly kind: "answered" }>, "kind">;

/** Judges replies: ok when all echoes were answered, warning when some were, critical when none was. */
export function judgeEchoes(host: string, { sent, received, averageMs, refusal }: EchoCount): Outcome {
  const loss = perfPoint("pl", sent === 0 ? 100 : ((sent - received) / sent) * 100, "%");
  const perfdata = averageMs === undefined ? [loss] : [secondsPerfPoint("rta", averageMs), loss];
  const status = received === 0 ? "critical" : received < sent ? "warning" : "ok";
  const average = averageMs === undefined ? "" : `, ${Number(averageMs.toFixed(3))} ms on average`;
  const refused = refusal === "" || received === sent ? "" : `: ${describeErrorCode(refusal)}`;
  return outcome(status, `${host}: ${received} of ${sent} echoes came back${average}${refused}`, perfdata);
}
