import { errorText } from "../error-text.ts";
import { SlotTable } from "../slot-table.ts";

/** Arguments of a function. */
export type ArgumentsOf<F> = F extends (...args: infer Arguments) => unknown ? Arguments : never;
/** Result of a function; of an asynchronous one that of its promise. */
export type ResultOf<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never;

/** End of a channel between threads: a `Worker`, or the port to its parent. */
type MessageEnd = {
  on(event: "message", listener: (message: unknown) => void): unknown;
  postMessage(message: unknown): void;
};

/** `id`: number of the caller that waits for the result; undefined when none does. */
type CallMessage = { readonly id: number | undefined; readonly kind: string; readonly args: readonly unknown[] };
type ResultMessage =
  | { readonly id: number; readonly ok: true; readonly result: unknown }
  | { readonly id: number; readonly ok: false; readonly error: string };

/**
 * Calls of functions in another thread. `Remote`: an object with these functions; arguments and results are plain data.
 * Calls arrive in their order, between the results of calls in the other direction.
 */
export type ThreadChannel<Remote> = {
  /** Rejects with a sentence when the function threw or the channel has ended. */
  request<Kind extends keyof Remote & string>(
    kind: Kind,
    ...args: ArgumentsOf<Remote[Kind]>
  ): Promise<ResultOf<Remote[Kind]>>;
  /** Calls a function without waiting for it. Does nothing once the channel has ended. */
  tell<Kind extends keyof Remote & string>(kind: Kind, ...args: ArgumentsOf<Remote[Kind]>): void;
  /** Number of requests without a result. */
  pending(): number;
  /** Ends the channel: requests, also later ones, reject with the first reason given. */
  end(reason: string): void;
};

/** Opens this thread's end of a channel, whose other end calls the functions of the object that `own` returns. */
export function openThreadChannel<Remote>(end: MessageEnd, own: () => object): ThreadChannel<Remote> {
  /** Messages of this turn of the event loop, which are sent as one: sending costs more than most calls do. */
  let outgoing: (CallMessage | ResultMessage)[] = [];
  const pending = new SlotTable<{ resolve(result: unknown): void; reject(error: Error): void }>();
  let failure: string | undefined;

  function post(message: CallMessage | ResultMessage): void {
    if (outgoing.push(message) > 1) return;
    setImmediate(() => {
      const messages = outgoing;
      outgoing = [];
      if (failure === undefined) end.postMessage(messages);
    });
  }

  function call({ id, kind, args }: CallMessage): void {
    const send = (result: { ok: true; result: unknown } | { ok: false; error: string }): void => {
      if (id !== undefined) post({ id, ...result });
    };
    const failed = (error: unknown): void => send({ ok: false, error: errorText(error) });
    try {
      const functions = own() as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
      const result = functions[kind]?.(...args);
      if (result instanceof Promise) result.then((value) => send({ ok: true, result: value })).catch(failed);
      else send({ ok: true, result });
    } catch (error) {
      failed(error);
    }
  }

  end.on("message", (received) => {
    for (const message of received as readonly (CallMessage | ResultMessage)[]) {
      if ("kind" in message) {
        call(message);
        continue;
      }
      const caller = pending.remove(message.id);
      if (message.ok) caller?.resolve(message.result);
      else caller?.reject(new Error(message.error));
    }
  });
  return {
    request(kind, ...args) {
      if (failure !== undefined) return Promise.reject(new Error(failure));
      return new Promise<never>((resolve, reject) => {
        const id = pending.add({ resolve: resolve as (result: unknown) => void, reject });
        post({ id, kind, args });
      });
    },
    tell(kind, ...args) {
      if (failure === undefined) post({ id: undefined, kind, args });
    },
    pending: () => pending.size,
    end(reason) {
      failure ??= reason;
      for (const caller of pending.removeAll()) caller.reject(new Error(failure));
    },
  };
}
