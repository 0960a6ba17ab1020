import type { StatusItem } from "../status/status-item.ts";

export type SendFailure = { readonly item: StatusItem; readonly error: unknown };

/** Calls under way at the same time. */
const atOnce = 6;

/**
 * Sends one command for each object and reports those that failed; the others were accepted. A realm that
 * refuses costs its own rows only.
 */
export async function sendToEach(
  items: readonly StatusItem[],
  send: (item: StatusItem) => Promise<void>,
): Promise<readonly SendFailure[]> {
  const failed: SendFailure[] = [];
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      try {
        await send(item);
      } catch (error) {
        failed.push({ item, error });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return failed;
}
