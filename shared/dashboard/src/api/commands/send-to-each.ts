import type { StatusItem } from "../status/status-item.ts";

export type SendFailure = { readonly item: StatusItem; readonly error: unknown };

/** Maximum number of concurrent calls. */
const concurrency = 6;

/** Sends one command per object and returns the failures; all other objects' commands were accepted. */
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
  await Promise.all(Array.from({ length: concurrency }, worker));
  return failed;
}
