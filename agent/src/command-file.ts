import { auditWindow } from "@realmwatch/shared/api/audit/audit-rate-limiter";
import type { Audit } from "@realmwatch/shared/model/audit";
import type { Clock } from "@realmwatch/shared/model/clock";
import { ok, type Result } from "@realmwatch/shared/model/result";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { openMint } from "@realmwatch/shared/platform/id-generator";
import type { CommandDesk } from "./api/command-desk.ts";
import { ExternalDesk } from "./api/external-desk.ts";
import { openCommandFifo } from "./external-commands/command-fifo.ts";
import type { OpenRealm } from "./realm/open-realm.ts";

export type CommandFileParts = {
  /** Undefined where none is wanted. */
  readonly path: string | undefined;
  readonly open: Pick<OpenRealm, "realm" | "loop">;
  readonly desk: CommandDesk;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
};

/** Refused lines that are logged, and audited each by itself, within a minute. */
const logged = 10;
const audited = 100;
const windowMs = 60_000;

/**
 * Opens `-command-file` and takes what is written to it.
 *
 * @returns what closes it; or why it cannot be had, as a sentence
 */
export function openCommandFile(parts: CommandFileParts): Result<{ close(): Promise<void> }, string> {
  const { path, open, desk, clock, log, metrics } = parts;
  if (path === undefined) return ok({ close: async () => {} });
  const lines = metrics.counter({
    name: "external_command_lines_total",
    help: "Lines of the command file.",
    labels: ["outcome"],
  });
  const audit = auditWindow({
    audit: parts.audit,
    clock,
    keyOf: ({ outcome }) => (outcome === "accepted" ? undefined : "lines"),
    perWindow: audited,
  });
  const external = new ExternalDesk({
    clock,
    realm: open.realm,
    desk,
    mintId: openMint(clock),
    audit,
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
      await fifo.value.close();
      await audit.close();
    },
  });
}

/** Says the first ones of a minute, and how many more there were. */
function logSome(log: Log, clock: Clock): (name: string, why: string) => void {
  let endsAtMs = 0;
  let count = 0;
  return (name, why) => {
    const nowMs = clock.monotonic();
    if (nowMs >= endsAtMs) {
      if (count > logged) log.warn({ lines: count - logged }, "further lines of the command file were not taken");
      [endsAtMs, count] = [nowMs + windowMs, 0];
    }
    count += 1;
    if (count <= logged) log.warn({ name, why }, "a line of the command file was not taken");
  };
}
