import type { RealmResult } from "@realmwatch/proto/svc/v1/realm_pb";
import { useQueryClient } from "@tanstack/react-query";
import { useAppContext } from "../context/app-context.tsx";
import { addNotice } from "../context/notice.ts";
import type { DowntimeGroup } from "../status/downtime-list.ts";
import { useCommandClient } from "./command-availability.ts";
import { objectCountText } from "./object-count-text.ts";
import { useFailureNotice } from "./use-failure-notice.ts";

/** Deletes all downtimes of a change in all realms by one call; what a realm did not accept is a notice. */
export function useDeleteChange(): (group: DowntimeGroup, label: string) => Promise<void> {
  const { clock, pending, notices, preferences } = useAppContext();
  const commands = useCommandClient();
  const queryClient = useQueryClient();
  const failed = useFailureNotice();

  /** Realms that refused it, with the reason. */
  async function failedRealms({ parts, realms, downtime }: DowntimeGroup): Promise<readonly RealmResult[]> {
    const { author } = preferences.get();
    // A downtime of an earlier version has no change, and is the only one of its group.
    const answer =
      downtime.changeId === ""
        ? await commands.deleteDowntime(realms[0] ?? "", { downtimeId: parts[0]?.id ?? "", author })
        : await commands.deleteDowntime("", { changeId: downtime.changeId, author });
    const { results = [] } = answer as { results?: readonly RealmResult[] };
    return results.filter(({ code }) => code !== "");
  }

  return async (group, label) => {
    try {
      const refusals = await failedRealms(group);
      for (const { realm, code, message } of refusals)
        addNotice(notices, "failed", `${label} failed: ${realm}: ${code}: ${message}`);
      const items = group.parts
        .map(({ item }) => item)
        .filter(({ realm }) => refusals.every((one) => one.realm !== realm));
      const ids = new Set(group.parts.map(({ id }) => id));
      const isVisibleIn = (row: { readonly downtimes: readonly { readonly id: string }[] }): boolean =>
        row.downtimes.every(({ id }) => !ids.has(id));
      const marks = items.map(({ id }) => ({ id, label, sentAtMs: clock.now(), isVisibleIn }));
      pending.set((before) => [...before, ...marks]);
      if (items.length > 0)
        addNotice(notices, "done", `Accepted: ${label} for ${objectCountText(items, items.length)}`);
    } catch (error) {
      failed(`${label} failed`, error);
    }
    void queryClient.invalidateQueries();
  };
}
