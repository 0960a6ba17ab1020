import { refOf } from "@realmwatch/shared/model/object-key";
import {
  type HandoverEntry,
  type HandoverSection,
  handoverSections,
  handoverText,
  namedObjects,
} from "@realmwatch/shared/view/handover/handover-sections";
import { Fragment } from "react";
import { usePreference } from "../../api/context/app-context.tsx";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { CopyButton } from "../../components/controls/copy-button.tsx";
import { RangeChoice } from "../../components/controls/range-choice.tsx";
import { RealmSelect } from "../../components/controls/realm-select.tsx";
import { useSearchParam } from "../../components/controls/use-search-param.ts";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { ObjectLink, ObjectName } from "../../components/object/object-link.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { StatusBadge } from "../../components/status/status-badge.tsx";
import { formatDateTime, formatShortDateTime, isoInstant } from "../../components/time/format-date-time.ts";
import { NoteForm } from "../../features/handover/note-form.tsx";
import { shiftSinces, shiftUntils } from "../../features/handover/shift-range.ts";
import { useHandover } from "../../features/handover/use-handover.ts";
import "../../components/layout/print.css";
import "./handover.css";

/** Page of the handover from one shift to the next, with a field for notes. It can be printed. */
export function HandoverPage() {
  const zone = usePreference("zone");
  const [since, setSince] = useSearchParam("since");
  const [until, setUntil] = useSearchParam("until");
  const [realm = "", setRealm] = useSearchParam("realm");
  const { read, error } = useHandover(since, until, realm);
  const handover = read?.handover;
  const time = (atMs: number): string => formatShortDateTime(atMs, handover?.untilMs ?? atMs, zone);
  return (
    <>
      <PageHead title="Handover">
        {handover !== undefined && (
          <span className="wrapped tools no-print">
            <CopyButton text={() => handoverText(handover, time)} label="Copy as text" />
            <ActionButton tone="small" onClick={() => print()}>
              Print
            </ActionButton>
          </span>
        )}
      </PageHead>
      <div className="wrapped handover-range no-print">
        <RangeChoice label="Beginning of the shift" choices={shiftSinces} value={since ?? "8h"} onChange={setSince} />
        <span className="muted">until</span>
        <RangeChoice label="End of the shift" choices={shiftUntils} value={until ?? "now"} onChange={setUntil} />
        <RealmSelect realm={realm} onChange={setRealm} none="All realms" />
      </div>
      <NoteForm realm={realm} />
      {error !== null && <FailureText error={error} what="The handover is not available." />}
      {read?.unanswered.map((missing) => (
        <p key={missing.realm} className="failure">
          <strong>Records of {missing.realm === "" ? "this aggregator" : `realm ${missing.realm}`} are missing</strong>:{" "}
          <code>{missing.code}</code> {missing.message}
        </p>
      ))}
      {handover !== undefined && (
        <>
          <p className="handover-span">
            {formatDateTime(handover.sinceMs, zone)} to {formatDateTime(handover.untilMs, zone)}
            {zone === "utc" && " UTC"}
            {read?.cutAtMs !== undefined && <strong>. Records before {time(read.cutAtMs)} were not read.</strong>}
          </p>
          <div className="handover-sections">
            {handoverSections(handover, time).map((section) => (
              <Section key={section.title} section={section} time={time} />
            ))}
          </div>
        </>
      )}
    </>
  );
}

type FormatTime = (atMs: number) => string;

function Section({ section, time }: { section: HandoverSection; time: FormatTime }) {
  const { title, entries, none, more } = section;
  return (
    <section className="card handover-section">
      <h2>
        {title} {entries.length > 0 && <span className="muted">({entries.length})</span>}
      </h2>
      {entries.length === 0 && more === "" && <p className="muted">{none}</p>}
      {entries.length > 0 && (
        <ul>
          {entries.map((entry, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two entries may have the same text, and none has a state
            <Entry key={at} entry={entry} time={time} />
          ))}
        </ul>
      )}
      {more !== "" && <p className="muted">{more}</p>}
    </section>
  );
}

function Entry({ entry, time }: { entry: HandoverEntry; time: FormatTime }) {
  const { atMs, status, subject, objects, text } = entry;
  return (
    <li>
      {atMs === undefined ? (
        <span className="muted">earlier</span>
      ) : (
        <time dateTime={isoInstant(atMs)}>{time(atMs)}</time>
      )}
      <span className="handover-what">
        {status !== undefined && <StatusBadge status={status} />}
        {subject !== undefined && <strong>{subject}</strong>}
        <Objects objects={objects} />
        <span className="handover-text">{text}</span>
      </span>
    </li>
  );
}

/** Links to the first objects, and the number of the others. */
function Objects({ objects }: { objects: HandoverEntry["objects"] }) {
  const left = objects.length - namedObjects;
  return (
    <>
      {objects.slice(0, namedObjects).map(({ realm, key }) => (
        <Fragment key={`${realm}/${refOf(key)}`}>
          <ObjectLink realm={realm} object={key}>
            {realm !== "" && <span className="muted">{realm} </span>}
            <ObjectName object={key} />
          </ObjectLink>
        </Fragment>
      ))}
      {left > 0 && <span className="muted">and {left} more</span>}
    </>
  );
}
