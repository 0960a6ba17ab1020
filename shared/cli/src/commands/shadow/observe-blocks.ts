import type { Status } from "@realmwatch/shared/model/status";
import { numberIn, type RetentionBlock, refIn, timeIn } from "@realmwatch/shared/text/retention-blocks";
import { circumstancesOf, type Dialect, type Observation, type ObservedObject } from "./observed-object.ts";

const statusesOf = {
  hoststatus: ["ok", "critical", "unreachable"],
  servicestatus: ["ok", "warning", "critical", "unknown"],
} as const satisfies Record<string, readonly Status[]>;

const isStatusBlock = (type: string): type is keyof typeof statusesOf => Object.hasOwn(statusesOf, type);

/** Maximum number of attempts that is believed. */
const maxAttempts = 100;

/** Objects of the status blocks; other blocks are skipped. */
export function observeBlocks(blocks: readonly RetentionBlock[], dialect: Dialect): Observation {
  const statuses = blocks.filter(({ type }) => isStatusBlock(type));
  const checked = statuses.filter(
    (block) => numberIn(block, "has_been_checked") === 1 && timeIn(block, "last_check") !== undefined,
  );
  return { dialect, objects: checked.map(observe), known: new Set(statuses.map(refIn)) };
}

function observe(block: RetentionBlock): ObservedObject {
  const names: readonly ObservedObject["status"][] = isStatusBlock(block.type) ? statusesOf[block.type] : [];
  const status = names[numberIn(block, "current_state")] ?? "unknown";
  const notificationNumber = status === "ok" ? 0 : numberIn(block, "current_notification_number");
  return {
    ref: refIn(block),
    status,
    isHard: numberIn(block, "state_type") === 1,
    attempt: Math.min(maxAttempts, Math.max(1, numberIn(block, "current_attempt"))),
    checkedAtMs: timeIn(block, "last_check") ?? 0,
    executionMs: numberIn(block, "check_execution_time") * 1_000,
    output: block.values.get("plugin_output") ?? "",
    longOutput: (block.values.get("long_plugin_output") ?? "").replaceAll("\\n", "\n"),
    perfdata: block.values.get("performance_data") ?? "",
    lastOkAtMs: timeIn(block, "last_time_ok") ?? timeIn(block, "last_time_up"),
    isPassive: numberIn(block, "check_type") === 1,
    wasHardProblem: numberIn(block, "last_hard_state") > 0,
    notificationNumber,
    notifiedAtMs: notificationNumber > 0 ? timeIn(block, "last_notification") : undefined,
    circumstances: circumstancesOf({
      isAcknowledged: numberIn(block, "problem_has_been_acknowledged") === 1,
      isInDowntime: numberIn(block, "scheduled_downtime_depth") > 0,
      isFlapping: numberIn(block, "is_flapping") === 1,
      isSilent: block.values.get("notifications_enabled") === "0",
    }),
  };
}
