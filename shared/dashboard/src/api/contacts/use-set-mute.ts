import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Contact } from "@realmwatch/proto/svc/v1/query_pb";
import { useQueryClient } from "@tanstack/react-query";
import { useCommandClient } from "../commands/command-availability.ts";
import { useAppContext } from "../context/app-context.tsx";
import { addNotice } from "../context/notice.ts";

/** Mute to set: its reason, and its end, Unix ms, undefined when it lasts until it is undone. */
type Mute = { readonly comment: string; readonly untilMs: number | undefined };

/** Mutes a contact, or undoes its mute for `undefined`. Rejects with the failure of the call. */
export function useSetMute(): (contact: Contact, mute: Mute | undefined) => Promise<void> {
  const { notices, preferences } = useAppContext();
  const commands = useCommandClient();
  const queryClient = useQueryClient();
  return async ({ realm, name }, mute) => {
    const { author } = preferences.get();
    const { comment = "", untilMs } = mute ?? {};
    await commands.setContactNotifications(realm, {
      ...{ contact: name, enabled: mute === undefined, author, comment },
      ...(untilMs === undefined ? {} : { until: timestampFromMs(untilMs) }),
    });
    const what = mute === undefined ? "unmute" : "mute";
    addNotice(notices, "done", `Accepted: ${what} of ${name}${realm === "" ? "" : ` in ${realm}`}`);
    void queryClient.invalidateQueries();
  };
}
