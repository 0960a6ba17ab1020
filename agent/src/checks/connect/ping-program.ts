import type { ProgramOutcome } from "../../platform/programs/program-runner.ts";
import type { CheckDependencies, CheckOutcome } from "../check-type.ts";
import { judgeEchoes } from "../judge/judge-echoes.ts";
import { judgeProgram } from "../judge/judge-program.ts";
import { timeoutOutcome } from "../judge/timeout-outcome.ts";

/** Interval between echoes, s: the least that every `ping` permits to unprivileged users. */
const defaultIntervalS = 0.2;
/** Least interval for short timeouts, s; older versions of `ping` refuse it. */
const minIntervalS = 0.002;
/** Part of the timeout in which all echoes are sent. */
const sendingPart = 0.5;

type PingRequest = {
  /** Host as configured. */
  readonly host: string;
  readonly address: string;
  readonly echoes: number;
  /** Timeout of the check, ms. */
  readonly timeoutMs: number;
  /** Part of the timeout that is left for the program, ms. */
  readonly leftMs: number;
};

/** Sends echoes with the system's `ping` program, which has the permission that the agent may lack. */
export async function runPing(
  order: PingRequest,
  { programs }: CheckDependencies,
  signal: AbortSignal,
): Promise<CheckOutcome> {
  const { timeoutMs, leftMs } = order;
  const ended = await programs.run({ argv: pingArgv(order), env: { LC_ALL: "C" }, timeoutMs: leftMs }, signal);
  if (ended.kind === "timed_out") return { ...timeoutOutcome("critical", "icmp", timeoutMs), executionMs: leftMs };
  return judge(order, ended);
}

function pingArgv({ address, echoes, leftMs }: PingRequest): readonly [string, ...string[]] {
  const fittingS = Math.max(minIntervalS, (leftMs / 1_000) * (sendingPart / echoes));
  const intervalS = Math.min(defaultIntervalS, fittingS).toFixed(3);
  const waitS = Math.max(1, Math.floor(leftMs / 1_000 - echoes * defaultIntervalS));
  return ["ping", "-n", "-c", String(echoes), "-i", intervalS, "-W", String(waitS), address];
}

/** Judges ping's summary, which iputils and busybox word alike; its exit code does not distinguish partial loss. */
function judge({ host, timeoutMs }: PingRequest, ended: ProgramOutcome): CheckOutcome {
  const printed = ended.kind === "exited" ? ended : undefined;
  const counts = /(\d+) packets transmitted, (\d+) (?:packets )?received/.exec(printed?.stdout ?? "");
  if (printed === undefined || counts === null) {
    const unreachable = /unreachable|no route/i.exec(printed?.stderr ?? "");
    const found = judgeProgram("ping", ended, timeoutMs);
    return unreachable ? { ...found, status: "critical" } : { ...found, status: "unknown" };
  }
  const average = Number(/= [\d.]+\/([\d.]+)\//.exec(printed.stdout)?.[1] ?? Number.NaN);
  const averageMs = Number.isFinite(average) ? average : undefined;
  const [sent, received] = [Number(counts[1]), Number(counts[2])];
  const refusal = /^From .* icmp_seq=\d+ (.+)$/m.exec(printed.stdout)?.[1]?.toLowerCase() ?? "";
  return { ...judgeEchoes(host, { sent, received, averageMs, refusal }), executionMs: printed.elapsedMs };
}
