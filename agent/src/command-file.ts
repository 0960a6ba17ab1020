import { auditRateLimiter } from "@realmwatch/shared/api/audit/audit-rate-limiter";
import type { AuditLog } from "@realmwatch/shared/model/audit";
import type { Clock } from "@realmwatch/shared/model/clock";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { CommandIntake } from "./api/command-intake.ts";
import { ExternalCommandIntake } from "./api/external-command-intake.ts";
import { openCommandFifo } from "./external-commands/command-fifo.ts";
import type { RightToAct } from "./platform/right/right-to-act.ts";
import type { OpenRealm } from "./realm/open-realm.ts";

type CommandFileOptions = {
  readonly path: string;
  readonly open: Pick<OpenRealm, "realm" | "inputs" | "loop">;
  readonly intake: CommandIntake;
  /** Right of a member of a pair; undefined for an agent without one. */
  readonly right: RightToAct | undefined;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
};

/** Number of refused lines a minute that are logged and audited one by one. */
const logged = 10;
const audited = 100;
const windowMs = 60_000;

export type OpenCommandFile = { close(): Promise<void> };

/**
 * Opens `-command-file` and submits the lines that are written to it.
 *
 * @returns the opened file; or a sentence why it cannot be opened
 */
export function openCommandFile(options: CommandFileOptions): Result<OpenCommandFile, string> {
  const { path, open, intake, clock, log, metrics } = options;
  const lines = metrics.counter({
    name: "external_command_lines_total",
    help: "Lines of the command file, by command and outcome.",
    labels: ["outcome"],
  });
  const audit = auditRateLimiter({
    audit: options.audit,
    clock,
    keyOf: ({ outcome }) => (outcome === "accepted" ? undefined : "lines"),
    perWindow: audited,
  });
  const external = new ExternalCommandIntake({
    clock,
    realm: open.realm,
    intake,
    right: options.right,
    mintId: idGenerator(clock),
    audit,
    inputs: open.inputs,
    loop: open.loop,
    refused: logSome(log, clock),
    counted: (outcome, count) => lines.inc({ outcome }, count),
  });
  const fifo = openCommandFifo({
    path,
    clock,
    take: (some) => external.take(some),
    warn: (what) => log.warn({ path }, what),
  });
  if (!fifo.ok) return fifo;
  return ok({
    async close() {
      external.stopWaiting();
      await fifo.value.close();
      await audit.close();
    },
  });
}

/** Logs the first refused lines of a minute, then the number of the others. */
function logSome(log: Log, clock: Clock): (name: string, why: string) => void {
  let endsAtMs = 0;
  let count = 0;
  return (name, why) => {
    const nowMs = clock.monotonic();
    if (nowMs >= endsAtMs) {
      if (count > logged) log.warn({ lines: count - logged }, "further lines of the command file were refused");
      [endsAtMs, count] = [nowMs + windowMs, 0];
    }
    count += 1;
    if (count <= logged) log.warn({ name, why }, "a line of the command file was refused");
  };
}
