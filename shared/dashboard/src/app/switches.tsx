import { useAppContext, usePreference } from "../api/context/app-context.tsx";
import { themes } from "../api/context/preferences.ts";
import { MarkIcon } from "../components/controls/mark-icon.tsx";

/** Cycles the theme through automatic, light and dark. */
export function ThemeSwitch() {
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
export function ZoneSwitch() {
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
