import type { IcmpSpec } from "@realmwatch/shared/config/check-kinds/icmp";
import { outcome } from "@realmwatch/shared/model/outcome";
import type { ActiveCheckType, CheckDependencies } from "../check-type.ts";
import { describeResolveFailure } from "../connect/connect-host.ts";
import { runPing } from "../connect/ping-program.ts";
import { judgeEchoes } from "../judge/judge-echoes.ts";
import { timeoutOutcome } from "../judge/timeout-outcome.ts";

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
    const { clock, echoes: prober } = dependencies;
    const startedMs = clock.monotonic();
    const resolved = await resolveInTime(host, timeoutMs, { ...dependencies, signal });
    if (resolved === undefined) return timeoutOutcome("critical", "icmp", timeoutMs);
    if (!resolved.ok) return outcome("critical", describeResolveFailure(host, resolved.error));

    const address = resolved.value[0] ?? host;
    const leftMs = Math.max(1, timeoutMs - (clock.monotonic() - startedMs));
    const result = await prober.probe({
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

/** Resolves a name; undefined when the check's timeout passes first. */
async function resolveInTime(
  host: string,
  timeoutMs: number,
  dependencies: CheckDependencies & { signal: AbortSignal },
) {
  const deadline = new AbortController();
  const cancelDeadline = dependencies.clock.after(timeoutMs, () => deadline.abort());
  const resolved = await dependencies.resolver.resolve(host, AbortSignal.any([dependencies.signal, deadline.signal]));
  cancelDeadline();
  return deadline.signal.aborted ? undefined : resolved;
}
