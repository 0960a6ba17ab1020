import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import { describeErrorCode } from "../../platform/network/describe-error.ts";
import { secondsPerfPoint } from "./elapsed.ts";

/** What came of the echoes to a host. */
export type EchoCount = {
  readonly sent: number;
  readonly received: number;
  readonly averageMs: number | undefined;
  /** Why some were refused: a system's code or a router's words; empty where none was. */
  readonly refusal: string;
};

/** All back is ok, some warning, none critical. */
export function judgeEchoes(host: string, { sent, received, averageMs, refusal }: EchoCount): Outcome {
  const loss = perfPoint("pl", sent === 0 ? 100 : ((sent - received) / sent) * 100, "%");
  const perfdata = averageMs === undefined ? [loss] : [secondsPerfPoint("rta", averageMs), loss];
  const status = received === 0 ? "critical" : received < sent ? "warning" : "ok";
  const average = averageMs === undefined ? "" : `, ${Number(averageMs.toFixed(3))} ms on average`;
  const refused = refusal === "" || received === sent ? "" : `: ${describeErrorCode(refusal)}`;
  return outcome(status, `${host}: ${received} of ${sent} echoes came back${average}${refused}`, perfdata);
}
