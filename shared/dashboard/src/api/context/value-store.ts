import { useSyncExternalStore } from "react";

/** A value with listeners: client-side state that several components share. */
export type ValueStore<T> = {
  get(): T;
  set(next: T | ((before: T) => T)): void;
  subscribe(listener: () => void): () => void;
};

/** Creates a store. `onChange` receives each new value before the listeners do, for example to persist it. */
export function valueStore<T>(initial: T, onChange?: (value: T) => void): ValueStore<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      const after = typeof next === "function" ? (next as (before: T) => T)(value) : next;
      if (Object.is(after, value)) return;
      value = after;
      onChange?.(after);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The store's value, or the part that `pick` selects; renders again when it changes. */
export function useStoreValue<T, Picked = T>(
  store: ValueStore<T>,
  pick: (value: T) => Picked = (value) => value as never,
): Picked {
  return useSyncExternalStore(store.subscribe, () => pick(store.get()));
}
