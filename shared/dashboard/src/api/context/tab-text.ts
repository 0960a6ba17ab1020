import { type ValueStore, valueStore } from "./value-store.ts";

/** Text that one tab of the browser keeps until it is closed; empty until it is set. */
export function tabText(storage: Storage, key: string): ValueStore<string> {
  return valueStore(storage.getItem(key) ?? "", (text) => {
    if (text === "") storage.removeItem(key);
    else storage.setItem(key, text);
  });
}
