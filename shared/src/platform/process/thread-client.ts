import { type MessagePort, Worker } from "node:worker_threads";
import { SlotTable } from "../slot-table.ts";

type RequestMessage = { readonly id: number; readonly ask: unknown };
type ResponseMessage =
  | { readonly id: number; readonly ok: true; readonly answer: unknown }
  | { readonly id: number; readonly ok: false; readonly error: string };

/** The near end of a worker thread that answers questions in the order in which they come. */
export type ThreadClient<Ask extends { kind: string }, Answers extends Record<Ask["kind"], unknown>> = {
  /** Rejects with a sentence where the thread threw, or is gone. */
  request<A extends Ask>(ask: A): Promise<Answers[A["kind"]]>;
  /** Questions without an answer yet. */
  pending(): number;
  /** Why the thread is gone; undefined while it lives. */
  failure(): string | undefined;
  terminate(): Promise<void>;
};

/**
 * Starts a thread and waits for its first message, which is the answer's `opening`. Rejects where the thread dies first.
 *
 * @param module a module beside `from`, which is the caller's `import.meta.url`, without its suffix: `.ts` in the
 *   sources, `.js` where built
 */
export async function startWorkerThread<
  Opening,
  Ask extends { kind: string },
  Answers extends Record<Ask["kind"], unknown>,
>(
  { module, from }: { readonly module: string; readonly from: string },
  workerData: unknown,
): Promise<{ opening: Opening; link: ThreadClient<Ask, Answers> }> {
  const suffix = from.endsWith(".ts") ? ".ts" : ".js";
  const worker = new Worker(new URL(`./${module}${suffix}`, from), { workerData, name: module });
  const opening = await new Promise<Opening>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  return { opening, link: linkTo(worker) };
}

function linkTo<Ask extends { kind: string }, Answers extends Record<Ask["kind"], unknown>>(
  worker: Worker,
): ThreadClient<Ask, Answers> {
  const waiting = new SlotTable<{ resolve(answer: unknown): void; reject(error: Error): void }>();
  let gone: string | undefined;
  worker.on("message", (message: ResponseMessage) => {
    const asker = waiting.remove(message.id);
    if (message.ok) asker?.resolve(message.answer);
    else asker?.reject(new Error(message.error));
  });
  const giveUp = (why: string): void => {
    gone ??= why;
    for (const asker of waiting.removeAll()) asker.reject(new Error(gone));
  };
  worker.on("error", (error: unknown) =>
    giveUp(`a thread of the disk died: ${error instanceof Error ? error.message : error}`),
  );
  worker.on("exit", () => giveUp("a thread of the disk ended"));
  return {
    request(ask) {
      if (gone !== undefined) return Promise.reject(new Error(gone));
      return new Promise<never>((resolve, reject) => {
        const id = waiting.add({ resolve: resolve as (answer: unknown) => void, reject });
        worker.postMessage({ id, ask } satisfies RequestMessage);
      });
    },
    pending: () => waiting.size,
    failure: () => gone,
    async terminate() {
      await worker.terminate();
    },
  };
}

/** The far end: answers every question. What `answer` throws goes back as an error and ends nothing. */
export function serveThreadRequests<Ask>(port: MessagePort, answer: (ask: Ask) => unknown): void {
  port.on("message", ({ id, ask }: RequestMessage) => {
    try {
      port.postMessage({ id, ok: true, answer: answer(ask as Ask) } satisfies ResponseMessage);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      port.postMessage({ id, ok: false, error: why } satisfies ResponseMessage);
    }
  });
}
