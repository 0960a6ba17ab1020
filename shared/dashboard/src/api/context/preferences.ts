import { type ValueStore, valueStore } from "./value-store.ts";

export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** Time zone that instants are displayed in: the browser's own, or UTC. */
export type DisplayZone = "local" | "utc";

/** Settings of this browser; they are not sent to a server. */
export type Preferences = {
  readonly theme: Theme;
  readonly zone: DisplayZone;
  /** True when single-key shortcuts are on. They can interfere with speech input. */
  readonly shortcuts: boolean;
  /** Author that was entered last; used when the server has no authentication. */
  readonly author: string;
};

const key = "realmwatch.preferences";
const defaults: Preferences = { theme: "auto", zone: "local", shortcuts: true, author: "" };

/** Preferences from the browser's storage. Blocked or damaged storage yields the defaults. */
export function storedPreferences(storage: Storage): ValueStore<Preferences> {
  return valueStore(read(storage), (value) => {
    try {
      storage.setItem(key, JSON.stringify(value));
    } catch {
      // With full or forbidden storage the preference lasts as long as the page.
    }
  });
}

function read(storage: Storage): Preferences {
  try {
    const stored = JSON.parse(storage.getItem(key) ?? "{}") as Partial<Record<keyof Preferences, unknown>>;
    return {
      theme: themes.find((theme) => theme === stored.theme) ?? defaults.theme,
      zone: stored.zone === "utc" ? "utc" : "local",
      shortcuts: stored.shortcuts !== false,
      author: typeof stored.author === "string" ? stored.author : "",
    };
  } catch {
    return defaults;
  }
}
