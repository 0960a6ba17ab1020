import { parse } from "node:path";
import { type MessagePort, Worker } from "node:worker_threads";
import { errorText } from "../error-text.ts";
import { SlotTable } from "../slot-table.ts";

type RequestMessage = { readonly id: number; readonly request: unknown };
type ResponseMessage =
  | { readonly id: number; readonly ok: true; readonly response: unknown }
  | { readonly id: number; readonly ok: false; readonly error: string };

/** Sends requests to a worker thread, which processes them in order. `Responses`: response type by request kind. */
export type ThreadClient<Request extends { kind: string }, Responses extends Record<Request["kind"], unknown>> = {
  /** Rejects with a sentence when the thread threw or has ended. */
  request<R extends Request>(request: R): Promise<Responses[R["kind"]]>;
  /** Number of requests without a response. */
  pending(): number;
  /** Reason why the thread ended; undefined while it runs. */
  failure(): string | undefined;
  terminate(): Promise<void>;
};

/**
 * Starts a worker thread and waits for its first message, the result of its initialisation. Rejects when the thread ends
 * before it.
 */
export async function startWorkerThread<
  Opening,
  Request extends { kind: string },
  Responses extends Record<Request["kind"], unknown>,
>(
  module: URL,
  workerData: unknown,
): Promise<{ readonly opening: Opening; readonly client: ThreadClient<Request, Responses> }> {
  const worker = new Worker(module, { workerData, name: parse(module.pathname).name });
  const opening = await new Promise<Opening>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  return { opening, client: threadClient(worker) };
}

function threadClient<Request extends { kind: string }, Responses extends Record<Request["kind"], unknown>>(
  worker: Worker,
): ThreadClient<Request, Responses> {
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
    request(request) {
      if (failure !== undefined) return Promise.reject(new Error(failure));
      return new Promise<never>((resolve, reject) => {
        const id = pending.add({ resolve: resolve as (response: unknown) => void, reject });
        worker.postMessage({ id, request } satisfies RequestMessage);
      });
    },
    pending: () => pending.size,
    failure: () => failure,
    async terminate() {
      await worker.terminate();
    },
  };
}

/** Answers all requests within the worker thread. An exception of `handle` becomes the request's error. */
export function serveThreadRequests<Request>(port: MessagePort, handle: (request: Request) => unknown): void {
  port.on("message", ({ id, request }: RequestMessage) => {
    try {
      port.postMessage({ id, ok: true, response: handle(request as Request) } satisfies ResponseMessage);
    } catch (error) {
      const message = errorText(error);
      port.postMessage({ id, ok: false, error: message } satisfies ResponseMessage);
    }
  });
}
