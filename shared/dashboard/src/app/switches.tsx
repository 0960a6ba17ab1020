import { useAppContext, usePreference } from "../api/context/app-context.tsx";
import { themes } from "../api/context/preferences.ts";
import { MarkIcon } from "../components/controls/mark-icon.tsx";
import { appTexts } from "../texts/app-texts.ts";
import { SignOutButton } from "./sign-out-button.tsx";

/** Buttons for settings of this browser, search and help. */
export function RailTools({ onUse }: { onUse?: () => void }) {
  const { dialog } = useAppContext();
  return (
    <div className="rail-tools">
      <button
        type="button"
        className="icon-button"
        title={appTexts.findWithShortcut}
        aria-label={appTexts.find}
        onClick={() => {
          onUse?.();
          dialog.set({ kind: "palette" });
        }}
      >
        <MarkIcon name="search" />
      </button>
      <ThemeSwitch />
      <ZoneSwitch />
      <button
        type="button"
        className="icon-button"
        title={appTexts.helpWithShortcut}
        aria-label={appTexts.help}
        onClick={() => {
          onUse?.();
          dialog.set({ kind: "help" });
        }}
      >
        ?
      </button>
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
      title={appTexts.themePressFor(theme, next)}
      aria-label={appTexts.themeChangeTo(theme, next)}
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
      title={zone === "utc" ? appTexts.timesAreShownInUtc : appTexts.timesAreShownInThis}
      onClick={() => preferences.set((before) => ({ ...before, zone: zone === "utc" ? "local" : "utc" }))}
    >
      {appTexts.utc}
    </button>
  );
}
