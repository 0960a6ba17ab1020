import type { Contact } from "@realmwatch/proto/svc/v1/query_pb";
import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useBlockedReason, useCommandClient } from "../../api/commands/command-availability.ts";
import { useAppContext } from "../../api/context/app-context.tsx";
import { addNotice } from "../../api/context/notice.ts";
import { callFailureOf } from "../../api/server/call-failure.ts";

/**
 * Whether a contact is told of anything. A press is a command: until the contact's own row shows what was asked
 * for, the switch says that it is waited for and takes no second press.
 */
export function ContactSwitch({ contact }: { contact: Contact }) {
  const id = useId();
  const [wanted, setWanted] = useState<boolean>();
  const send = useSwitch(contact, setWanted);
  const closed = useBlockedReason()(contact.realm);
  const on = contact.notificationsEnabled ?? true;
  const waits = wanted !== undefined && wanted !== on;
  const blocked = waits || closed !== undefined;
  return (
    <span className={closed === undefined ? "switch-cell" : "switch-cell blocked"}>
      <button
        type="button"
        role="switch"
        className="switch"
        aria-checked={on}
        aria-label={`Notifications of ${contact.name}${contact.realm === "" ? "" : ` in ${contact.realm}`}`}
        aria-disabled={blocked}
        {...(closed === undefined ? {} : { "aria-describedby": id })}
        onClick={() => {
          if (!blocked) void send(!on);
        }}
      >
        <span className="switch-knob" />
      </button>{" "}
      <span aria-hidden="true">{on ? "on" : "off"}</span>
      {waits && <span className="pending-mark">{wanted ? "switching on" : "switching off"}</span>}
      {closed !== undefined && (
        <span role="tooltip" id={id} className="tooltip">
          {closed}
        </span>
      )}
    </span>
  );
}

function useSwitch(contact: Contact, wish: (on: boolean | undefined) => void): (on: boolean) => Promise<void> {
  const { notices, preferences, dialog } = useAppContext();
  const queryClient = useQueryClient();
  const commands = useCommandClient();
  return async (enabled) => {
    wish(enabled);
    try {
      const author = preferences.get().author;
      await commands.setContactNotifications(contact.realm, { contact: contact.name, enabled, author });
      addNotice(notices, {
        tone: "done",
        text: `Accepted: notifications of ${contact.name} ${enabled ? "on" : "off"}`,
      });
      void queryClient.invalidateQueries();
    } catch (error) {
      wish(undefined);
      const { code, message } = callFailureOf(error);
      addNotice(notices, { tone: "failed", text: `The switch of ${contact.name} failed: ${code}: ${message}` });
      if (code === "unauthenticated") dialog.set({ kind: "token" });
    }
  };
}
