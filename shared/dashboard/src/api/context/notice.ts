import type { ValueStore } from "./value-store.ts";

/** Result of a command in one line. Failures stay until they are closed. */
export type Notice = { readonly id: number; readonly tone: "done" | "failed"; readonly text: string };

export function addNotice(notices: ValueStore<readonly Notice[]>, tone: Notice["tone"], text: string): void {
  notices.set((before) => [...before, { id: (before.at(-1)?.id ?? 0) + 1, tone, text }]);
}

export function removeNotice(notices: ValueStore<readonly Notice[]>, id: number): void {
  notices.set((before) => before.filter((notice) => notice.id !== id));
}
