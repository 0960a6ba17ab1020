import { isProblem } from "@realmwatch/shared/model/status";
import { statusNameOf } from "@realmwatch/shared/view/row-status";
import type { StatusItem } from "../../api/status/status-item.ts";
import type { ProcessRule, RuleChild } from "./rule.ts";

/**
 * Child of a process with the status that the process counts: the last hard one, unless soft states count. `ignored` is
 * why a problem counts as ok.
 */
export type ObjectChild = RuleChild & {
  readonly item: StatusItem;
  readonly ignored: "in downtime" | "acknowledged" | undefined;
};

/** [DB96] Judges a child as a process with these settings does. */
export function childOf(item: StatusItem, { states, ignore }: Pick<ProcessRule, "states" | "ignore">): ObjectChild {
  const { id, soft, statusName, row } = item;
  const status = soft && states === "hard" ? statusNameOf(row.lastHardStatus) : statusName;
  const ignored = !isProblem(status)
    ? undefined
    : ignore.includes("downtime") && row.inDowntime === true
      ? "in downtime"
      : ignore.includes("acknowledged") && row.acknowledgement !== undefined
        ? "acknowledged"
        : undefined;
  return { id, item, status: ignored === undefined ? status : "ok", ignored };
}
