import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFailureNotice } from "../api/commands/use-failure-notice.ts";
import { useAppContext, usePreference } from "../api/context/app-context.tsx";
import { themes } from "../api/context/preferences.ts";
import { useIdentity } from "../api/server/server-info.ts";
import { useSignIn } from "../api/server/sign-in.ts";
import { MarkIcon } from "../components/controls/mark-icon.tsx";

/** Buttons for settings of this browser, search and help. */
export function RailTools({ onUse }: { onUse?: () => void }) {
  const { dialog } = useAppContext();
  const opener = (kind: "palette" | "help", label: string, key: string, mark: ReactNode) => (
    <button
      type="button"
      className="icon-button"
      title={`${label} (${key})`}
      aria-label={label}
      onClick={() => {
        onUse?.();
        dialog.set({ kind });
      }}
    >
      {mark}
    </button>
  );
  return (
    <div className="wrapped rail-tools">
      {opener("palette", "Find an object, a page or an action", "Ctrl+K", <MarkIcon name="search" />)}
      <ThemeSwitch />
      <ZoneSwitch />
      {opener("help", "Keyboard shortcuts and settings", "?", "?")}
      <SignOutButton />
    </div>
  );
}

/** Cycles the theme through automatic, light and dark. */
function ThemeSwitch() {
  const { preferences } = useAppContext();
  const theme = usePreference("theme");
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
  return (
    <button
      type="button"
      className="icon-button"
      title={`Theme: ${theme}. Press for ${next}.`}
      aria-label={`Theme: ${theme}. Change to ${next}`}
      onClick={() => preferences.set((before) => ({ ...before, theme: next }))}
    >
      <MarkIcon name={theme} />
    </button>
  );
}

/** Switches the display of times between the browser's zone and UTC. */
function ZoneSwitch() {
  const { preferences } = useAppContext();
  const zone = usePreference("zone");
  return (
    <button
      type="button"
      className="icon-button is-word"
      aria-pressed={zone === "utc"}
      title={zone === "utc" ? "Times are shown in UTC" : "Times are shown in this browser's zone"}
      onClick={() => preferences.set((before) => ({ ...before, zone: zone === "utc" ? "local" : "utc" }))}
    >
      UTC
    </button>
  );
}

/** Ends the session in all tabs and leads to the login page; hidden without an identity. */
function SignOutButton() {
  const failed = useFailureNotice();
  const navigate = useNavigate();
  const signIn = useSignIn();
  const identity = useIdentity();
  if (identity === undefined) return null;
  const signOut = async (): Promise<void> => {
    try {
      await signIn.out();
      await navigate({ to: "/login", search: {} });
    } catch (error) {
      failed("Signing out failed", error);
    }
  };
  return (
    <button type="button" className="icon-button" onClick={() => void signOut()}>
      Sign out
    </button>
  );
}
