import type { Preferences } from "../api/context/preferences.ts";
import type { ValueStore } from "../api/context/value-store.ts";

/** Applies the preferred theme to the page and follows its changes; `auto` leaves it to the operating system. */
export function followTheme(preferences: ValueStore<Preferences>, page: HTMLElement): void {
  const apply = (): void => {
    const { theme } = preferences.get();
    if (theme === "auto") delete page.dataset["theme"];
    else page.dataset["theme"] = theme;
  };
  apply();
  preferences.subscribe(apply);
}
