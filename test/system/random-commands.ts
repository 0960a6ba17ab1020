import type { Command } from "@realmwatch/shared/model/command";
import type { CheckStatus } from "@realmwatch/shared/model/status";
import fc from "fast-check";
import { type RecordedRealm, recordedRefs, recordedTickMs } from "./recorded-realm.ts";

/** What an operator or a check may do, `ticks` after what came before it; `what` decides how. */
export type ScriptedCommand = { readonly ticks: number; readonly kind: string; readonly ref: string; readonly what: number };
const switches = ["activeChecks", "passiveChecks", "eventHandler", "flapDetection"] as const;
const results: readonly CheckStatus[] = ["ok", "critical", "warning", "critical"];
/** A hard problem that begins and ends within one millisecond. */
const blip: readonly CheckStatus[] = ["critical", "critical", "ok"];

function resultOf(ref: string, status: CheckStatus, nowMs: number) {
  const measured = { longOutput: "", perfdata: [], executedAtMs: nowMs, executionMs: 1, checkSource: "t" };
  return { ref, status, output: status, ...measured };
}

function commandOf({ kind, ref, what }: ScriptedCommand, n: number, nowMs: number): Command {
  switch (kind) {
    case "result":
      return { kind: "process_check_results", results: [resultOf(ref, results[what % 4] ?? "ok", nowMs)] };
    case "blip":
      return { kind: "process_check_results", results: blip.map((status) => resultOf(ref, status, nowMs)) };
    case "acknowledge":
      return { kind: "acknowledge_problem", refs: [ref], sticky: what % 2 === 0, notify: false, comment: `ack ${n}` };
    case "unacknowledge":
      return { kind: "remove_acknowledgement", refs: [ref] };
    case "downtime": {
      const isFixed = what % 2 === 0;
      // Never in the same millisecond as a result: no record tells whether a flexible one found the problem before it.
      const startMs = nowMs + (what % 4) * recordedTickMs - (isFixed ? 0 : recordedTickMs / 2);
      const shape = isFixed ? { kind: "fixed" as const } : { kind: "flexible" as const, durationMs: 5 * recordedTickMs };
      const window = { startMs, endMs: startMs + (3 + (what % 7)) * recordedTickMs };
      return { kind: "schedule_downtime", downtimes: [{ id: `d${n}`, ref }], ...window, comment: "disks", shape };
    }
    case "cancel":
      return { kind: "delete_downtime", ref, id: `d${n - 1 - (what % 8)}` };
    case "comment":
      return { kind: "add_comment", ref, id: `c${n}`, text: `note ${n}` };
    case "uncomment":
      return { kind: "delete_comment", ref, id: `c${n - 1 - (what % 8)}` };
    default:
      return {
        kind: "set_object_toggle",
        refs: [ref],
        toggle: switches[what % 4] ?? "eventHandler",
        enabled: what % 3 > 0,
      };
  }
}

/** Stories in which results, and what changes how they show, take turns at random. */
export const anyCommandScript = fc.array(
  fc.record({
    ticks: fc.integer({ min: 1, max: 3 }),
    kind: fc.constantFrom(
      ...["result", "result", "result", "result", "blip", "acknowledge", "acknowledge", "unacknowledge"],
      ...["downtime", "downtime", "cancel", "comment", "uncomment", "toggle"],
    ),
    ref: fc.constantFrom(...recordedRefs),
    what: fc.nat({ max: 40 }),
  }),
  { minLength: 30, maxLength: 60, size: "max" },
);

/** Does the deeds one after the other. `look` is called at each tick, after its deed. */
export async function runScript(
  realm: RecordedRealm,
  story: readonly ScriptedCommand[],
  look: () => Promise<void> = async () => {},
): Promise<void> {
  for (const [n, deed] of story.entries()) {
    for (let tick = 0; tick < deed.ticks; tick += 1) {
      await realm.tick(1);
      if (tick === deed.ticks - 1) await realm.send(commandOf(deed, n, realm.clock.now()));
      await look();
    }
  }
}
