import type { IcmpSpec } from "@realmwatch/shared/config/check-spec";
import { outcome } from "@realmwatch/shared/words/outcome";
import { perfPoint } from "@realmwatch/shared/words/perfdata";
import type { ProgramOutcome } from "../run/program.ts";
import type { ActiveCheckType, Found } from "./check-type.ts";
import { sayUnresolved } from "./connect-host.ts";
import { judgeProgram } from "./judge-program.ts";
import { secondsPoint } from "./seconds.ts";
import { timedOut } from "./timed-out.ts";

const echoes = 5;
/** Between echoes, s; the least that is allowed to everyone. */
const intervalS = 0.2;

/** Five echoes by the system's `ping`, which may send them where the agent may not. */
export const icmp: ActiveCheckType<IcmpSpec> = {
  type: "icmp",
  // Waiting for a free place is not the host's fault, so the deadline is counted here.
  onTimeout: "own",
  async run({ host }, { timeoutMs }, { clock, resolver, programs }, signal) {
    const startedMs = clock.monotonic();
    const late = new AbortController();
    const cancelDeadline = clock.after(timeoutMs, () => late.abort());
    const resolved = await resolver.resolve(host, AbortSignal.any([signal, late.signal]));
    cancelDeadline();
    if (late.signal.aborted) return outcome("critical", timedOut("icmp", timeoutMs));
    if (!resolved.ok) return outcome("critical", sayUnresolved(host, resolved.error));

    const leftMs = Math.max(1, timeoutMs - (clock.monotonic() - startedMs));
    const argv = pingArgv(resolved.value[0] ?? host, leftMs);
    const ended = await programs.run({ argv, env: { LC_ALL: "C" }, timeoutMs: leftMs }, signal);
    if (ended.kind === "timed_out")
      return { ...outcome("critical", timedOut("icmp", timeoutMs)), executionMs: timeoutMs };
    return judge(host, ended, timeoutMs);
  },
};

function pingArgv(address: string, leftMs: number): readonly [string, ...string[]] {
  const waitS = Math.max(1, Math.floor(leftMs / 1_000 - echoes * intervalS));
  return ["ping", "-n", "-q", "-c", String(echoes), "-i", String(intervalS), "-W", String(waitS), address];
}

/** Judges by ping's summary, which iputils and busybox word alike; its exit code does not tell "some lost". */
function judge(host: string, ended: ProgramOutcome, timeoutMs: number): Found {
  const printed = ended.kind === "exited" ? ended : undefined;
  const counts = /(\d+) packets transmitted, (\d+) (?:packets )?received/.exec(printed?.stdout ?? "");
  if (printed === undefined || counts === null) {
    const unreachable = /unreachable|no route/i.exec(printed?.stderr ?? "");
    const found = judgeProgram("ping", ended, timeoutMs);
    return unreachable ? { ...found, status: "critical" } : { ...found, status: "unknown" };
  }
  const [sent, received] = [Number(counts[1]), Number(counts[2])];
  const lost = sent === 0 ? 100 : ((sent - received) / sent) * 100;
  const averageMs = Number(/= [\d.]+\/([\d.]+)\//.exec(printed.stdout)?.[1] ?? Number.NaN);
  const loss = perfPoint("pl", lost, "%");
  const perfdata = Number.isFinite(averageMs) ? [secondsPoint("rta", averageMs), loss] : [loss];
  const status = received === 0 ? "critical" : received < sent ? "warning" : "ok";
  const average = Number.isFinite(averageMs) ? `, ${averageMs} ms on average` : "";
  const output = `${host}: ${received} of ${sent} echoes came back${average}`;
  return { ...outcome(status, output, perfdata), executionMs: printed.elapsedMs };
}
