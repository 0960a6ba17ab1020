import { ConnectError } from "@connectrpc/connect";
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { commandTexts } from "../../texts/command-texts.ts";
import { useAppContext } from "../context/app-context.tsx";
import { addNotice } from "../context/notice.ts";
import { randomKey } from "../server/random-key.ts";
import { useServerInfo } from "../server/server-info.ts";
import { wireRefOf } from "../status/object-key.ts";
import type { StatusItem } from "../status/status-item.ts";
import type { BulkCommand, RealmOutcome } from "./bulk-client.ts";
import { objectCountText } from "./object-count-text.ts";
import type { PendingCommand } from "./pending-command.ts";
import type { SendFailure } from "./send-to-each.ts";

/** A command for many objects as a form describes it. */
export type BulkForm = {
  readonly label: string;
  /** Values that were entered. A retry with the same values repeats the same request, so nothing is applied twice. */
  readonly entered: unknown;
  /** Creates the command when it is first sent with these values. */
  readonly command: () => BulkCommand;
  /** Creates the check that detects the effect in a row. */
  readonly isVisibleIn: (downtimeIds: readonly string[]) => PendingCommand["isVisibleIn"];
};

type SentForm = { readonly entered: string; readonly requestId: string; readonly command: BulkCommand };

/** Sends a command for all items in one call and returns the items of the realms that did not accept it. */
export function useSendBulk(): (items: readonly StatusItem[], form: BulkForm) => Promise<readonly SendFailure[]> {
  const { clock, pending, notices, agentBulk, forwardedBulk } = useAppContext();
  const { info } = useServerInfo();
  const queryClient = useQueryClient();
  const last = useRef<SentForm>(undefined);
  const send = info?.aggregator === true ? forwardedBulk : agentBulk;
  return async (items, { label, entered, command, isVisibleIn }) => {
    const text = JSON.stringify(entered);
    if (last.current?.entered !== text) last.current = { entered: text, requestId: randomKey(), command: command() };
    const byRealm = Map.groupBy(items, ({ realm }) => realm);
    const realms = [...byRealm].map(([realm, own]) => ({ realm, objects: own.map(({ key }) => wireRefOf(key)) }));
    const outcomes = await outcomesOf(send({ ...last.current, realms }), [...byRealm.keys()]);
    const failed: SendFailure[] = [];
    for (const { realm, error, downtimeIds } of outcomes)
      for (const item of byRealm.get(realm) ?? []) {
        if (error !== undefined) failed.push({ item, error });
        else {
          const mark = { id: item.id, label, sentAtMs: clock.now(), isVisibleIn: isVisibleIn(downtimeIds) };
          pending.set((marks) => [...marks, mark]);
        }
      }
    const accepted = items.length - failed.length;
    if (accepted > 0) {
      const refused = new Set(failed.map(({ item }) => item.realm));
      const counted = realms.filter(({ realm }) => !refused.has(realm));
      const perRealm = counted.length < 2 && refused.size === 0 ? [] : counted;
      const realmsText = perRealm.map(({ realm, objects }) => commandTexts.perRealm(realm, objects.length)).join(", ");
      const text = commandTexts.accepted(label, objectCountText(items, accepted), realmsText);
      addNotice(notices, { tone: "done", text });
    }
    void queryClient.invalidateQueries();
    return failed;
  };
}

/** Outcomes of the realms; when the call itself fails, its error is that of every realm. */
async function outcomesOf(
  sent: Promise<readonly RealmOutcome[]>,
  realms: readonly string[],
): Promise<readonly RealmOutcome[]> {
  try {
    return await sent;
  } catch (error) {
    return realms.map((realm) => ({ realm, downtimeIds: [], error: ConnectError.from(error) }));
  }
}
