import { type ValueStore, valueStore } from "../context/value-store.ts";

const key = "realmwatch.token";

/** Bearer token entered in this tab; empty when there is none. The browser drops it with the tab. */
export function storedToken(storage: Storage): ValueStore<string> {
  return valueStore(storage.getItem(key) ?? "", (token) => {
    if (token === "") storage.removeItem(key);
    else storage.setItem(key, token);
  });
}
