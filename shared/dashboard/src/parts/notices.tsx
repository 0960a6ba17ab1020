import { useEffect } from "react";
import { useServices } from "../services/services.tsx";
import { useStored } from "../services/value-store.ts";
import { MarkIcon } from "./mark-icon.tsx";
import { dropNotice, type Notice } from "./notice.ts";

/** How long a good outcome stays, ms. */
const shownMs = 6_000;

/** What became of commands, announced politely. */
export function Notices() {
  const { notices } = useServices();
  const shown = useStored(notices);
  return (
    <section className="notices" aria-live="polite" aria-label="Outcomes of commands">
      {shown.map((notice) => (
        <NoticeLine key={notice.id} notice={notice} />
      ))}
    </section>
  );
}

function NoticeLine({ notice }: { notice: Notice }) {
  const { notices, clock } = useServices();
  const { id, tone } = notice;
  useEffect(
    () => (tone === "done" ? clock.every(shownMs, () => dropNotice(notices, id)) : undefined),
    [clock, notices, id, tone],
  );
  return (
    <div className={`notice is-${tone}`}>
      <span>{notice.text}</span>
      <button
        type="button"
        className="button is-quiet"
        onClick={() => dropNotice(notices, id)}
        aria-label="Close this message"
      >
        <MarkIcon name="close" />
      </button>
    </div>
  );
}
