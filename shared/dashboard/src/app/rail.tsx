import { Link } from "@tanstack/react-router";
import { useAppContext } from "../api/context/app-context.tsx";
import { useIdentity, useServerInfo } from "../api/server/server-info.ts";
import { useProblemCount } from "../api/status/problem-count.ts";
import { LivePill } from "./live-pill.tsx";
import { BrandIcon, ContactsIcon, HistoryIcon, ObjectsIcon, ProblemsIcon, RealmsIcon } from "./nav-icons.tsx";
import { ThemeSwitch, ZoneSwitch } from "./switches.tsx";

/** Navigation rail: brand, links to the pages, state of the connection. A new page gets its link here. */
export function Rail() {
  const { info } = useServerInfo();
  const count = useProblemCount();
  const total = count.current + count.stale;
  return (
    <header className="rail">
      <Link to="/" className="brand" aria-label="Realmwatch: problems">
        <BrandIcon /> <span>Realmwatch</span>
      </Link>
      <nav aria-label="Pages">
        <Link to="/" className="nav-link" activeOptions={{ exact: true, includeSearch: false }}>
          <ProblemsIcon /> <span>Problems</span>
          {total > 0 && (
            <span className="nav-count" data-status={count.worst}>
              {total}
              <span className="visually-hidden"> unhandled</span>
            </span>
          )}
        </Link>
        <Link to="/objects" className="nav-link" activeOptions={{ includeSearch: false }}>
          <ObjectsIcon /> <span>All objects</span>
        </Link>
        {info?.aggregator === true && (
          <Link to="/realms" className="nav-link">
            <RealmsIcon /> <span>Realms</span>
          </Link>
        )}
        <Link to="/history" className="nav-link" activeOptions={{ includeSearch: false }}>
          <HistoryIcon /> <span>History</span>
        </Link>
        <Link to="/contacts" className="nav-link">
          <ContactsIcon /> <span>Contacts</span>
        </Link>
      </nav>
      <RailFoot />
    </header>
  );
}

function RailFoot() {
  const { dialog, token } = useAppContext();
  const { info } = useServerInfo();
  const identity = useIdentity();
  return (
    <div className="rail-foot">
      <LivePill />
      {info !== undefined && (
        <dl className="server-facts">
          <div>
            <dt>{info.aggregator ? "Aggregator" : "Realm"}</dt>
            <dd>{info.aggregator ? "all realms" : info.realm}</dd>
          </div>
          <div>
            <dt>Version</dt>
            <dd>{info.version}</dd>
          </div>
          {identity !== undefined && (
            <div>
              <dt>Signed in</dt>
              <dd>{identity.name}</dd>
            </div>
          )}
        </dl>
      )}
      {info?.readOnly === true && <p className="rail-note">Read-only</p>}
      <div className="rail-tools">
        <ThemeSwitch />
        <ZoneSwitch />
        <button
          type="button"
          className="icon-button"
          title="Keyboard shortcuts (?)"
          aria-label="Keyboard shortcuts"
          onClick={() => dialog.set({ kind: "help" })}
        >
          ?
        </button>
        {identity !== undefined && token.get() !== "" && (
          <button
            type="button"
            className="icon-button"
            onClick={() => {
              token.set("");
              location.reload();
            }}
          >
            Sign out
          </button>
        )}
      </div>
    </div>
  );
}
