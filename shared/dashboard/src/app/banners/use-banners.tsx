import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFailingContacts } from "../../api/contacts/use-contacts.ts";
import { useAppContext, useNow, usePreference } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import { serverFailureOf } from "../../api/server/server-failure.ts";
import { useServerInfo } from "../../api/server/server-info.ts";
import { useConnection } from "../../api/status/connection.ts";
import { useOverview } from "../../api/status/overview.ts";
import { CopyFailure } from "../../components/feedback/failure-text.tsx";
import { formatClockTime } from "../../components/time/format-date-time.ts";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { pairBannerOf, realmBanners } from "./realm-banners.ts";

/** Warning about what the pages show. Its title is announced when it appears; its text may change with every poll. */
export type Banner = {
  readonly id: string;
  /** Classes with the colours. */
  readonly className: string;
  readonly title: string;
  readonly text: ReactNode;
  /** Link to the page that has more, or a button. */
  readonly action?: ReactNode;
};

/** Banners in the order of their importance: what the rows are worth, who is not notified, what is not possible. */
export function useBanners(): readonly Banner[] {
  return [
    ...useLostConnection(),
    ...useFailingDeliveries(),
    ...useImpairedRealms(),
    ...useImpairedPairs(),
    ...useDisabledNotifications(),
    ...useClockSkew(),
    ...useReadOnly(),
  ];
}

function useLostConnection(): readonly Banner[] {
  const connection = useConnection();
  const zone = usePreference("zone");
  const { locked } = useServerInfo();
  // The dialog of the ended session says what to do.
  if (locked || connection.state !== "lost" || connection.asOfMs === undefined) return [];
  const { error } = connection;
  const failure = error === null ? undefined : serverFailureOf(error);
  const text = (
    <>
      Rows are as of {formatClockTime(connection.asOfMs, zone)}. Trying again every few seconds.{" "}
      <code>{failure?.code}</code> {failure?.message}
    </>
  );
  const title = "Connection lost.";
  const action = error !== null && <CopyFailure error={error} what={title} />;
  return [{ id: "connection", className: "is-bad", title, text, action }];
}

/** Largest number of failing contacts that the banner names. */
const namedContacts = 3;

/** One banner for all failing contacts: people who should be notified are not. */
function useFailingDeliveries(): readonly Banner[] {
  const failing = useFailingContacts();
  if (failing.length === 0) return [];
  const names = failing.slice(0, namedContacts).map(({ name, realm }) => (realm === "" ? name : `${name} (${realm})`));
  const more = failing.length > namedContacts ? ` and ${failing.length - namedContacts} more` : "";
  const [{ lastError = "" } = {}] = failing;
  const error = failing.length === 1 && lastError !== "" ? `: ${lastError}` : "";
  const text = `to ${names.join(", ")}${more}${error}`;
  const action = <Link to="/contacts">Contacts</Link>;
  return [
    { id: "contacts", className: "is-bad is-failing-contacts", title: "Notifications are not delivered", text, action },
  ];
}

/** One banner for each state that a realm should not be in. */
function useImpairedRealms(): readonly Banner[] {
  const { data } = useOverview();
  const nowMs = useNow();
  const zone = usePreference("zone");
  return realmBanners(data?.realms ?? [], { nowMs, zone }).map(({ freshness, title, text }) => ({
    id: freshness,
    className: `is-realms is-${freshness}`,
    title: `${title}:`,
    text,
    action: <Link to="/realms">Realms</Link>,
  }));
}

/** One banner for all pairs of agents that would not survive their active member. */
function useImpairedPairs(): readonly Banner[] {
  const { data } = useOverview();
  const impaired = pairBannerOf(data?.pair, data?.realms ?? []);
  if (impaired === undefined) return [];
  const action = <Link to="/realms">Realms</Link>;
  return [{ id: "pair", className: "is-realms is-behind", title: "Pair of agents degraded:", text: impaired, action }];
}

function useDisabledNotifications(): readonly Banner[] {
  const { data } = useOverview();
  const { info } = useServerInfo();
  const realms = (data?.realms ?? [])
    .filter(({ reachable, toggles }) => reachable && toggles?.notificationsEnabled === false)
    .map(({ name }) => name);
  if (info?.toggles?.notificationsEnabled !== false && realms.length === 0) return [];
  const where = realms.length === 0 ? "this realm" : `realm ${realms.join(", ")}`;
  const text = `in ${where}: no contact is notified.`;
  return [{ id: "disabled", className: "is-warning", title: "Notifications are disabled", text }];
}

/** Says that ages and times are wrong: they are computed with the clock of this browser. */
function useClockSkew(): readonly Banner[] {
  const skewMs = useStoreValue(useAppContext().clockSkewMs);
  if (skewMs === 0) return [];
  const direction = skewMs > 0 ? "ahead of" : "behind";
  const title = `The clock of this browser is ${formatTimeSpan(Math.abs(skewMs))} ${direction} the server's.`;
  return [{ id: "clock", className: "is-warning", title, text: "Ages and times on this page are wrong by that much." }];
}

function useReadOnly(): readonly Banner[] {
  const { info } = useServerInfo();
  if (info?.readOnly !== true) return [];
  return [{ id: "readonly", className: "is-warning", title: "Read-only.", text: "This server accepts no commands." }];
}
