import type { Contact } from "@realmwatch/proto/svc/v1/query_pb";
import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useBlockedReason, useCommandClient } from "../../api/commands/command-availability.ts";
import { useAppContext } from "../../api/context/app-context.tsx";
import { addNotice } from "../../api/context/notice.ts";
import { serverFailureOf } from "../../api/server/server-failure.ts";
import { useTokenRequest } from "../../api/server/sign-in.ts";

/**
 * Switch for the notifications of a contact. A press sends a command; until the contact's row has the requested value,
 * the switch is marked as pending and ignores presses.
 */
export function ContactSwitch({ contact }: { contact: Contact }) {
  const id = useId();
  const [requested, setRequested] = useState<boolean>();
  const send = useSwitch(contact, setRequested);
  const blockedReason = useBlockedReason()(contact.realm);
  const on = contact.notificationsEnabled ?? true;
  const pending = requested !== undefined && requested !== on;
  const blocked = pending || blockedReason !== undefined;
  return (
    <span className={blockedReason === undefined ? "switch-cell" : "switch-cell blocked"}>
      <button
        type="button"
        role="switch"
        className="switch"
        aria-checked={on}
        aria-label={`Notifications of ${contact.name}${contact.realm === "" ? "" : ` in ${contact.realm}`}`}
        aria-disabled={blocked}
        {...(blockedReason === undefined ? {} : { "aria-describedby": id })}
        onClick={() => {
          if (!blocked) void send(!on);
        }}
      >
        <span className="switch-knob" />
      </button>{" "}
      <span aria-hidden="true">{on ? "on" : "off"}</span>
      {pending && <span className="pending-mark">{requested ? "enabling" : "disabling"}</span>}
      {blockedReason !== undefined && (
        <span role="tooltip" id={id} className="tooltip">
          {blockedReason}
        </span>
      )}
    </span>
  );
}

function useSwitch(contact: Contact, setRequested: (on: boolean | undefined) => void): (on: boolean) => Promise<void> {
  const { notices, preferences } = useAppContext();
  const queryClient = useQueryClient();
  const commands = useCommandClient();
  const requestToken = useTokenRequest();
  return async (enabled) => {
    setRequested(enabled);
    try {
      const author = preferences.get().author;
      await commands.setContactNotifications(contact.realm, { contact: contact.name, enabled, author });
      addNotice(notices, {
        tone: "done",
        text: `Accepted: notifications of ${contact.name} ${enabled ? "enabled" : "disabled"}`,
      });
      void queryClient.invalidateQueries();
    } catch (error) {
      setRequested(undefined);
      const { code, message } = serverFailureOf(error);
      addNotice(notices, {
        tone: "failed",
        text: `Notifications of ${contact.name} could not be ${enabled ? "enabled" : "disabled"}: ${code}: ${message}`,
      });
      requestToken(code);
    }
  };
}
