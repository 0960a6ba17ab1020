import { parse } from "node:path";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { fail, ok, type Result } from "../../model/result.ts";
import { errorText } from "../error-text.ts";
import { SlotTable } from "../slot-table.ts";

/** Arguments of a function. */
export type ArgumentsOf<F> = F extends (...args: infer Arguments) => unknown ? Arguments : never;
/** Result of a function. */
export type ResultOf<F> = F extends (...args: never[]) => infer R ? R : never;

type RequestMessage = { readonly id: number; readonly kind: string; readonly args: readonly unknown[] };
type ResponseMessage =
  | { readonly id: number; readonly ok: true; readonly response: unknown }
  | { readonly id: number; readonly ok: false; readonly error: string };

/**
 * Sends requests to a worker thread, which handles them in order. `Handlers`: an object whose methods handle the
 * requests, by their names; arguments and results are plain data.
 */
export type ThreadClient<Handlers> = {
  /** Rejects with a sentence when the handler threw or the thread has ended. */
  request<Kind extends keyof Handlers & string>(
    kind: Kind,
    ...args: ArgumentsOf<Handlers[Kind]>
  ): Promise<ResultOf<Handlers[Kind]>>;
  /** Number of requests without a response. */
  pending(): number;
  terminate(): Promise<void>;
};

/**
 * Starts a worker thread and waits for the result of its `serveThread`. After a failure, such as that of loading its
 * module, the thread has ended.
 */
export async function startWorkerThread<Opening, Handlers>(
  module: URL,
  data: unknown,
): Promise<Result<{ readonly opening: Opening; readonly client: ThreadClient<Handlers> }, string>> {
  const worker = new Worker(module, { workerData: data, name: parse(module.pathname).name });
  const opened = await new Promise<Result<Opening, string>>((resolve) => {
    worker.once("message", resolve);
    worker.once("error", (error) => resolve(fail(errorText(error))));
  });
  if (opened.ok) return ok({ opening: opened.value, client: threadClient(worker) });
  await worker.terminate();
  return opened;
}

function threadClient<Handlers>(worker: Worker): ThreadClient<Handlers> {
  const pending = new SlotTable<{ resolve(response: unknown): void; reject(error: Error): void }>();
  let failure: string | undefined;
  worker.on("message", (message: ResponseMessage) => {
    const caller = pending.remove(message.id);
    if (message.ok) caller?.resolve(message.response);
    else caller?.reject(new Error(message.error));
  });
  const rejectAll = (reason: string): void => {
    failure ??= reason;
    for (const caller of pending.removeAll()) caller.reject(new Error(failure));
  };
  worker.on("error", (error: unknown) => rejectAll(`a storage thread failed: ${errorText(error)}`));
  worker.on("exit", () => rejectAll("a storage thread ended"));
  return {
    request(kind, ...args) {
      if (failure !== undefined) return Promise.reject(new Error(failure));
      return new Promise<never>((resolve, reject) => {
        const id = pending.add({ resolve: resolve as (response: unknown) => void, reject });
        worker.postMessage({ id, kind, args } satisfies RequestMessage);
      });
    },
    pending: () => pending.size,
    async terminate() {
      await worker.terminate();
    },
  };
}

/**
 * Runs a worker thread: opens its handlers with the data given to `startWorkerThread`, sends the result, and then handles
 * requests. An exception of `open` becomes its failure, and one of a handler the request's error.
 */
export function serveThread<Data, Opening>(
  open: (data: Data) => Result<{ readonly opening: Opening; readonly handlers: object }, string>,
): void {
  const port = parentPort;
  if (port === null) return;
  const opened = openedBy(() => open(workerData as Data));
  port.postMessage(opened.ok ? ok(opened.value.opening) : opened);
  if (!opened.ok) return;
  const handlers = opened.value.handlers as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
  port.on("message", ({ id, kind, args }: RequestMessage) => {
    try {
      port.postMessage({ id, ok: true, response: handlers[kind]?.(...args) } satisfies ResponseMessage);
    } catch (error) {
      port.postMessage({ id, ok: false, error: errorText(error) } satisfies ResponseMessage);
    }
  });
}

function openedBy<T>(open: () => Result<T, string>): Result<T, string> {
  try {
    return open();
  } catch (error) {
    return fail(errorText(error));
  }
}
