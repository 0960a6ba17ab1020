import { type ValueStore, valueStore } from "./value-store.ts";

export const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];

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
  /** Lists that were saved under a name, with their addresses. */
  readonly savedFilters: readonly SavedFilter[];
  /** True when a new critical problem opens a notification of the browser. */
  readonly browserNotifications: boolean;
  /** True when a new critical problem plays a sound. */
  readonly sound: boolean;
};

/** A list with its filters. `href` is the path with the search parameters. */
type SavedFilter = { readonly name: string; readonly href: string };

const key = "realmwatch.preferences";
const defaults: Preferences = {
  theme: "auto",
  zone: "local",
  shortcuts: true,
  author: "",
  savedFilters: [],
  browserNotifications: false,
  sound: false,
};

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
      savedFilters: Array.isArray(stored.savedFilters) ? stored.savedFilters.filter(isSavedFilter) : [],
      browserNotifications: stored.browserNotifications === true,
      sound: stored.sound === true,
    };
  } catch {
    return defaults;
  }
}

/** True for a saved filter whose address is a path of this dashboard. */
function isSavedFilter(value: unknown): value is SavedFilter {
  const { name, href } = (value ?? {}) as Partial<Record<keyof SavedFilter, unknown>>;
  return typeof name === "string" && typeof href === "string" && /^\/(?![/\\])/.test(href);
}
