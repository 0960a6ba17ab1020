import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import { useFailingContacts } from "../api/contacts/use-contacts.ts";
import { useAppContext, useNow, usePreference } from "../api/context/app-context.tsx";
import { useStoreValue } from "../api/context/value-store.ts";
import { serverFailureOf } from "../api/server/server-failure.ts";
import { useServerInfo } from "../api/server/server-info.ts";
import { useConnection } from "../api/status/connection.ts";
import { useOverview } from "../api/status/overview.ts";
import { CopyFailure } from "../components/feedback/failure-text.tsx";
import { useHeldHeight } from "../components/layout/use-held-height.ts";
import { formatClockTime } from "../components/time/format-date-time.ts";
import { formatTimeSpan } from "../components/time/format-time-span.ts";
import { pairBannerOf, realmBanners } from "./realm-banners.ts";

/** Warnings about the rows below: lost connection, realms that are not current, disabled notifications. */
export function Banners() {
  const { data } = useOverview();
  const { info } = useServerInfo();
  const room = useRef<HTMLDivElement>(null);
  const banners = useRef<HTMLDivElement>(null);
  useHeldHeight(room, banners);
  const muted =
    data?.realms.filter(({ reachable, toggles }) => reachable && toggles?.notificationsEnabled === false) ?? [];
  return (
    <div className="banner-room" ref={room}>
      {/* Screen readers announce new banners only; the numbers in them change with every poll, and are not live. */}
      <div className="banners" ref={banners} role="status" aria-atomic="false" aria-relevant="additions">
        <ConnectionLost />
        <ClockSkewBanner />
        <FailingContacts />
        <RealmBanners />
        <PairBanner />
        {info?.readOnly === true && (
          <p className="banner is-warning">
            <strong>Read-only.</strong> This server accepts no commands.
          </p>
        )}
        {info?.toggles?.notificationsEnabled === false && (
          <p className="banner is-warning">
            <strong>Notifications are disabled</strong> in this realm: no contact is notified.
          </p>
        )}
        {muted.map(({ name }) => (
          <p key={name} className="banner is-warning">
            <strong>Notifications are disabled</strong> in realm {name}: no contact is notified.
          </p>
        ))}
      </div>
    </div>
  );
}

/** Largest number of failing contacts that the banner names. */
const namedContacts = 3;

/** One line for all failing contacts: people who should be notified are not. */
function FailingContacts() {
  const failing = useFailingContacts();
  if (failing.length === 0) return null;
  const names = failing.slice(0, namedContacts).map(({ name, realm }) => (realm === "" ? name : `${name} (${realm})`));
  const more = failing.length > namedContacts ? ` and ${failing.length - namedContacts} more` : "";
  const [{ lastError = "" } = {}] = failing;
  const text = `${names.join(", ")}${more}${failing.length === 1 && lastError !== "" ? `: ${lastError}` : ""}`;
  return (
    <p className="banner is-bad is-failing-contacts">
      <span className="banner-line" title={text}>
        <strong>Notifications are not delivered</strong> to <span aria-live="off">{text}</span>
      </span>
      <Link to="/contacts">Contacts</Link>
    </p>
  );
}

function ConnectionLost() {
  const connection = useConnection();
  const zone = usePreference("zone");
  const { locked } = useServerInfo();
  // The dialog of the ended session says what to do.
  if (locked) return null;
  if (connection.state !== "lost" || connection.asOfMs === undefined) return null;
  const failure = connection.error === null ? undefined : serverFailureOf(connection.error);
  return (
    <p className="banner is-bad">
      <strong>Connection lost.</strong> Rows are as of {formatClockTime(connection.asOfMs, zone)}. Trying again every
      few seconds. <code>{failure?.code}</code> {failure?.message}{" "}
      {connection.error !== null && <CopyFailure error={connection.error} what="Connection lost." />}
    </p>
  );
}

/** Says that ages and times are wrong: they are computed with the clock of this browser. */
function ClockSkewBanner() {
  const skewMs = useStoreValue(useAppContext().clockSkewMs);
  if (skewMs === 0) return null;
  return (
    <p className="banner is-warning">
      <strong>
        The clock of this browser is {formatTimeSpan(Math.abs(skewMs))} {skewMs > 0 ? "ahead of" : "behind"} the
        server's.
      </strong>{" "}
      Ages and times on this page are wrong by that much.
    </p>
  );
}

/** One line for all pairs of agents that would not survive their active member. */
function PairBanner() {
  const { data } = useOverview();
  const impaired = pairBannerOf(data?.pair, data?.realms ?? []);
  if (impaired === undefined) return null;
  return (
    <p className="banner is-realms is-behind">
      <span className="banner-line" title={impaired}>
        <strong>Pair of agents degraded</strong>: <span aria-live="off">{impaired}</span>
      </span>
      <Link to="/realms">Realms</Link>
    </p>
  );
}

/** One line for each state; a text that is too long is cut, so that no change of it moves the content. */
function RealmBanners() {
  const { data } = useOverview();
  const nowMs = useNow();
  const zone = usePreference("zone");
  return realmBanners(data?.realms ?? [], { nowMs, zone }).map(({ freshness, title, text }) => (
    <p key={freshness} className={`banner is-realms is-${freshness}`}>
      <span className="banner-line" title={`${title}: ${text}`}>
        <strong>{title}</strong>: <span aria-live="off">{text}</span>
      </span>
      <Link to="/realms">Realms</Link>
    </p>
  ));
}
