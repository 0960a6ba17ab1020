import { useEffect } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { type Notice, removeNotice } from "../../api/context/notice.ts";
import { useStoreValue } from "../../api/context/value-store.ts";
import { ActionButton } from "../controls/action-button.tsx";
import { MarkIcon } from "../controls/mark-icon.tsx";

/** Time that a notice of success stays, ms. */
const shownMs = 6_000;

/** Results of commands, in a polite live region. */
export function Notices() {
  const { notices } = useAppContext();
  const shown = useStoreValue(notices);
  return (
    <section className="notice-list" aria-live="polite" aria-label="Results of commands">
      {shown.map((notice) => (
        <NoticeLine key={notice.id} notice={notice} />
      ))}
    </section>
  );
}

function NoticeLine({ notice }: { notice: Notice }) {
  const { notices, clock } = useAppContext();
  const { id, tone } = notice;
  useEffect(
    () => (tone === "done" ? clock.every(shownMs, () => removeNotice(notices, id)) : undefined),
    [clock, notices, id, tone],
  );
  return (
    <div className={`notice is-${tone}`}>
      <span>{notice.text}</span>
      <ActionButton tone="quiet" onClick={() => removeNotice(notices, id)} aria-label="Close this notice">
        <MarkIcon name="close" />
      </ActionButton>
    </div>
  );
}
