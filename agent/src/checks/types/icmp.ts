import { isIP } from "node:net";
import type { IcmpSpec } from "@realmwatch/shared/config/check-spec";
import { outcome } from "@realmwatch/shared/model/outcome";
import { ok } from "@realmwatch/shared/model/result";
import type { ActiveCheckType, CheckDependencies } from "../check-type.ts";
import { describeResolveFailure } from "../connect/connect-host.ts";
import { runPing } from "../connect/ping-program.ts";
import { judgeEchoes } from "../judge/judge-echoes.ts";
import { timeoutOutput } from "../judge/timeout-output.ts";

const echoes = 5;
/** From one echo to the next, ms: far enough that one short hiccup does not take them all. */
const spacingMs = 200;
/** The part of the timeout in which the echoes of a hasty check are sent, so that the last one has time to return. */
const sendingPart = 0.5;
/** Kept back of the timeout for telling the verdict, ms. */
const tellingMs = 20;

/**
 * [NC1] Five echoes: all back is ok, some warning, none critical. Sent by the agent where it may, else by the system's
 * `ping`.
 */
export const icmpCheckType: ActiveCheckType<IcmpSpec> = {
  type: "icmp",
  // Waiting for a free place of a program is not the host's fault, so the deadline is counted here.
  onTimeout: "own",
  async run({ host }, { timeoutMs }, tools, signal) {
    const { clock, echoes: prober } = tools;
    const startedMs = clock.monotonic();
    const resolved = isIP(host) === 0 ? await resolveInTime(host, timeoutMs, { ...tools, signal }) : ok([host]);
    if (resolved === undefined) return outcome("critical", timeoutOutput("icmp", timeoutMs));
    if (!resolved.ok) return outcome("critical", describeResolveFailure(host, resolved.error));

    const address = resolved.value[0] ?? host;
    const leftMs = Math.max(1, timeoutMs - (clock.monotonic() - startedMs));
    const verdict = await prober.probe({
      address,
      count: echoes,
      spacingMs: Math.min(spacingMs, (leftMs * sendingPart) / echoes),
      timeoutMs: Math.max(1, leftMs - tellingMs),
    });
    if (verdict.kind === "unavailable") return runPing({ host, address, echoes, timeoutMs: leftMs }, tools, signal);
    return judgeEchoes(host, { ...verdict, sent: echoes });
  },
};

/** The addresses of a name; undefined where the check's time is up first. */
async function resolveInTime(host: string, timeoutMs: number, tools: CheckDependencies & { signal: AbortSignal }) {
  const late = new AbortController();
  const cancelDeadline = tools.clock.after(timeoutMs, () => late.abort());
  const resolved = await tools.resolver.resolve(host, AbortSignal.any([tools.signal, late.signal]));
  cancelDeadline();
  return late.signal.aborted ? undefined : resolved;
}
