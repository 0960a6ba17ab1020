import type { Command } from "@realmwatch/shared/commands/commands";
import type { CheckStatus } from "@realmwatch/shared/model/status";
import fc from "fast-check";
import { type RecordedRealm, recordedRefs, recordedTickMs } from "./recorded-realm.ts";

/** Command or check result, `ticks` after the one before; `variant` selects its parameters. */
export type ScriptedCommand = {
  readonly ticks: number;
  readonly kind: string;
  readonly ref: string;
  readonly variant: number;
};
const switches = ["activeChecks", "passiveChecks", "eventHandler", "flapDetection"] as const;
const results: readonly CheckStatus[] = ["ok", "critical", "warning", "critical"];
/** A hard problem that begins and ends within one millisecond. */
const blip: readonly CheckStatus[] = ["critical", "critical", "ok"];

function resultOf(ref: string, status: CheckStatus, nowMs: number) {
  const measured = { longOutput: "", perfdata: [], executedAtMs: nowMs, executionMs: 1, checkSource: "t" };
  return { ref, status, output: status, ...measured };
}

function commandOf({ kind, ref, variant }: ScriptedCommand, n: number, nowMs: number): Command {
  switch (kind) {
    case "result":
      return { kind: "process_check_results", results: [resultOf(ref, results[variant % 4] ?? "ok", nowMs)] };
    case "blip":
      return { kind: "process_check_results", results: blip.map((status) => resultOf(ref, status, nowMs)) };
    case "acknowledge":
      return {
        kind: "acknowledge_problem",
        refs: [ref],
        sticky: variant % 2 === 0,
        notify: false,
        comment: `ack ${n}`,
      };
    case "unacknowledge":
      return { kind: "remove_acknowledgement", refs: [ref] };
    case "downtime": {
      const isFixed = variant % 2 === 0;
      // Never in the same millisecond as a result: no record shows whether the problem was there before a flexible one.
      const startMs = nowMs + (variant % 4) * recordedTickMs - (isFixed ? 0 : recordedTickMs / 2);
      const shape = isFixed
        ? { kind: "fixed" as const }
        : { kind: "flexible" as const, durationMs: 5 * recordedTickMs };
      const window = { startMs, endMs: startMs + (3 + (variant % 7)) * recordedTickMs };
      return { kind: "schedule_downtime", downtimes: [{ id: `d${n}`, ref }], ...window, comment: "disks", shape };
    }
    case "cancel":
      return { kind: "delete_downtime", ref, id: `d${n - 1 - (variant % 8)}` };
    case "comment":
      return { kind: "add_comment", ref, id: `c${n}`, text: `note ${n}` };
    case "uncomment":
      return { kind: "delete_comment", ref, id: `c${n - 1 - (variant % 8)}` };
    default:
      return {
        kind: "set_object_toggle",
        refs: [ref],
        toggle: switches[variant % 4] ?? "eventHandler",
        enabled: variant % 3 > 0,
      };
  }
}

/** Random scripts of check results and of commands that change how these are shown. */
export const anyCommandScript = fc.array(
  fc.record({
    ticks: fc.integer({ min: 1, max: 3 }),
    kind: fc.constantFrom(
      ...["result", "result", "result", "result", "blip", "acknowledge", "acknowledge", "unacknowledge"],
      ...["downtime", "downtime", "cancel", "comment", "uncomment", "toggle"],
    ),
    ref: fc.constantFrom(...recordedRefs),
    variant: fc.nat({ max: 40 }),
  }),
  { minLength: 30, maxLength: 60, size: "max" },
);

/** Runs the commands of a script in order. `onTick` is called at each tick, after its command. */
export async function runScript(
  realm: RecordedRealm,
  script: readonly ScriptedCommand[],
  onTick: () => Promise<void> = async () => {},
): Promise<void> {
  for (const [n, scripted] of script.entries()) {
    for (let tick = 0; tick < scripted.ticks; tick += 1) {
      await realm.tick(1);
      if (tick === scripted.ticks - 1) await realm.send(commandOf(scripted, n, realm.clock.now()));
      await onTick();
    }
  }
}
