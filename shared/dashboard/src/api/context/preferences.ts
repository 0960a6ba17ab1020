import { type ValueStore, valueStore } from "./value-store.ts";

export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** Time zone that instants are displayed in: the browser's own, or UTC. */
export type DisplayZone = "local" | "utc";

/** What one person chose in this browser; nothing of it reaches a server. */
export type Preferences = {
  readonly theme: Theme;
  readonly zone: DisplayZone;
  /** Single-key shortcuts can get in the way of speech input: they can be switched off. */
  readonly shortcuts: boolean;
  /** What was last typed as author, where nobody logs in. */
  readonly author: string;
};

const key = "realmwatch.preferences";
const defaults: Preferences = { theme: "auto", zone: "local", shortcuts: true, author: "" };

/** Preferences that outlive the page. Storage that is blocked or damaged gives the defaults. */
export function storedPreferences(storage: Storage): ValueStore<Preferences> {
  return valueStore(read(storage), (value) => {
    try {
      storage.setItem(key, JSON.stringify(value));
    } catch {
      // A full or forbidden storage only means that the choice lasts as long as the page.
    }
  });
}

function read(storage: Storage): Preferences {
  try {
    const kept = JSON.parse(storage.getItem(key) ?? "{}") as Partial<Record<keyof Preferences, unknown>>;
    return {
      theme: themes.find((theme) => theme === kept.theme) ?? defaults.theme,
      zone: kept.zone === "utc" ? "utc" : "local",
      shortcuts: kept.shortcuts !== false,
      author: typeof kept.author === "string" ? kept.author : "",
    };
  } catch {
    return defaults;
  }
}
