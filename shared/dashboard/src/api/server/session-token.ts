import { type ValueStore, valueStore } from "../context/value-store.ts";

const key = "realmwatch.token";

/** The bearer token typed into this tab; empty where there is none. It ends with the tab and is never shown again. */
export function storedToken(storage: Storage): ValueStore<string> {
  return valueStore(storage.getItem(key) ?? "", (token) => {
    if (token === "") storage.removeItem(key);
    else storage.setItem(key, token);
  });
}
