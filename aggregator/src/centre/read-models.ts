import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { RealmsPlan } from "../realms/realms-document.ts";
import type { ActiveReadModel } from "./active-read-model.ts";
import { openModelEvidence } from "./model-evidence.ts";

/** Read models of the realms documents: the one that answers, and after a reload the next one until it is complete. */
export type ReadModels = ReturnType<typeof openReadModels>;

const switchRetryMs = 50;

export function openReadModels(
  plan: RealmsPlan,
  { clock, log }: { readonly clock: Clock; readonly log: Pick<Log, "info"> },
) {
  let current = unopenedReadModel(plan);
  let next: ActiveReadModel | undefined;
  let generation = 0;
  let cancelSwitch = (): void => {};

  function switchWhenComplete(onSwitch: () => void): void {
    cancelSwitch();
    if (next === undefined) return;
    if (next.incompleteReason() !== undefined && current.incompleteReason() === undefined) {
      cancelSwitch = clock.after(switchRetryMs, () => switchWhenComplete(onSwitch));
      return;
    }
    const previous = current;
    [current, next] = [next, undefined];
    void previous.close();
    log.info({ realms: current.plan.size }, "realms document: reads use the new one");
    onSwitch();
  }
  return {
    /** Read model that answers; an empty one until `start`. */
    current: () => current,
    /** Number of read models that were opened: one for each realms document. */
    generation: () => generation,
    /** Newest realms document. */
    plan: () => (next ?? current).plan,
    /** True when the document of either read model lists the realm. */
    isListed: (realm: string) => current.plan.has(realm) || (next?.plan.has(realm) ?? false),
    async realmsToRebuild(): Promise<readonly string[]> {
      return [...new Set([...(await current.realmsToRebuild()), ...((await next?.realmsToRebuild()) ?? [])])];
    },
    /** Replaces all read models by one that may be incomplete: the first one, or that of another thread of the port. */
    start(first: ActiveReadModel) {
      cancelSwitch();
      for (const replaced of [current, next]) void replaced?.close();
      [current, next] = [first, undefined];
      generation += 1;
    },
    /** Switches to another read model when it is complete, or the current one is incomplete too; then calls `onSwitch`. */
    switchTo(model: ActiveReadModel, onSwitch: () => void) {
      void next?.close();
      next = model;
      generation += 1;
      switchWhenComplete(onSwitch);
    },
    async close() {
      cancelSwitch();
      await Promise.all([current.close(), next?.close()]);
    },
  };
}

/** Read model of the time before the first one is opened: it is empty and answers no query. */
function unopenedReadModel(plan: RealmsPlan): ActiveReadModel {
  const reason = "the read model is not opened yet";
  return {
    plan,
    number: 0,
    toggles: () => undefined,
    evidence: openModelEvidence(),
    holds: () => false,
    objectCount: () => 0,
    incompleteReason: () => reason,
    canAnswer: () => false,
    isRebuilding: () => true,
    storeError: () => "",
    readAgain: async () => {},
    historyIncompleteReason: () => reason,
    unreadableHistories: () => new Map(),
    realmsToRebuild: async () => [],
    close: async () => {},
  };
}
