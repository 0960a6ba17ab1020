import type { IcmpSpec } from "@realmwatch/shared/config/check-kinds/icmp";
import type { ActiveCheckType } from "../check-type.ts";
import { resolveInTime } from "../connect/connect-host.ts";
import { runPing } from "../connect/ping-program.ts";
import { judgeEchoes } from "../judge/judge-echoes.ts";

const echoes = 5;
/** Interval between echoes, ms: long enough that one short disturbance does not affect all of them. */
const spacingMs = 200;
/** Part of a short timeout in which the echoes are sent, so that the last one has time to return. */
const sendingPart = 0.5;
/** Part of the timeout reserved for returning the result, ms. */
const reserveMs = 20;

/**
 * [NC1] Sends five echoes: ok when all are answered, warning when some are, critical when none is. Uses the system's
 * `ping` when the agent may not send echoes itself.
 */
export const icmpCheckType: ActiveCheckType<IcmpSpec> = {
  type: "icmp",
  // Time spent waiting for a free program slot does not count, so the timeout is enforced here.
  onTimeout: "own",
  async run({ host }, { timeoutMs }, dependencies, signal) {
    const resolved = await resolveInTime(host, { type: "icmp", status: "critical", timeoutMs }, dependencies, signal);
    if (!resolved.ok) return resolved.error;
    const { address, leftMs } = resolved.value;
    const result = await dependencies.echoes.probe({
      address,
      count: echoes,
      spacingMs: Math.min(spacingMs, (leftMs * sendingPart) / echoes),
      timeoutMs: Math.max(1, leftMs - reserveMs),
    });
    if (result.kind === "unavailable")
      return runPing({ host, address, echoes, timeoutMs, leftMs }, dependencies, signal);
    return judgeEchoes(host, { ...result, sent: echoes });
  },
};
