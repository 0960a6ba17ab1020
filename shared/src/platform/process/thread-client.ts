import { parse } from "node:path";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { fail, ok, type Result } from "../../model/result.ts";
import { errorText } from "../error-text.ts";
import { collectBurstGarbage } from "./burst-garbage.ts";
import { compileCacheVariable } from "./compile-cache.ts";
import { openThreadChannel, type ThreadChannel } from "./thread-channel.ts";

/**
 * Sends requests to a worker thread. `Handlers`: an object whose methods handle the requests, by their names; arguments
 * and results are plain data.
 */
export type ThreadClient<Handlers> = ThreadChannel<Handlers> & { terminate(): Promise<void> };

/** Result of opening a thread, which is its first message. */
type OpeningMessage<Opening> = { readonly opened: Result<Opening, string> };

type WorkerThreadOptions = {
  /** Functions that the thread may call. Default: none. */
  readonly own?: object;
  /** Called with a sentence when an opened thread has ended, unless by `terminate`. */
  readonly onEnd?: (why: string) => void;
};

/** Size up to which the young generation of a thread grows, MiB; V8 would let it grow to 96 MiB for little use. */
const maxYoungGenerationSizeMb = 24;

/**
 * Starts a worker thread and waits for the result of its `serveThread`. After a failure, such as that of loading its
 * module, the thread has ended.
 */
export async function startWorkerThread<Opening, Handlers>(
  module: URL,
  data: unknown,
  { own = {}, onEnd }: WorkerThreadOptions = {},
): Promise<Result<{ readonly opening: Opening; readonly client: ThreadClient<Handlers> }, string>> {
  collectBurstGarbage();
  const name = parse(module.pathname).name;
  const worker = new Worker(module, {
    workerData: data,
    name,
    env: { ...process.env, ...compileCacheVariable() },
    resourceLimits: { maxYoungGenerationSizeMb },
  });
  const opening = Promise.withResolvers<Result<Opening, string>>();
  let isOpen = false;
  let isEnding = false;
  const channel = openThreadChannel<Handlers>(
    {
      postMessage: (message) => worker.postMessage(message),
      on: (_, listener) =>
        worker.on("message", (message: object) => {
          if ("opened" in message) opening.resolve((message as OpeningMessage<Opening>).opened);
          else listener(message);
        }),
    },
    () => own,
  );
  const ended = (why: string): void => {
    channel.end(why);
    opening.resolve(fail(why));
    if (isOpen && !isEnding) onEnd?.(why);
    isEnding = true;
  };
  worker.on("error", (error: unknown) => ended(`the thread ${name} failed: ${errorText(error)}`));
  worker.on("exit", () => ended(`the thread ${name} ended`));
  const terminate = async (): Promise<void> => {
    isEnding = true;
    await worker.terminate();
  };
  const opened = await opening.promise;
  isOpen = opened.ok;
  if (opened.ok) return ok({ opening: opened.value, client: { ...channel, terminate } });
  await terminate();
  return opened;
}

type Served<Opening> = { readonly opening: Opening; readonly handlers: object };

/**
 * Runs a worker thread: opens its handlers with the data given to `startWorkerThread` and the functions of its owner,
 * sends the result, and then handles requests. An exception of `open` becomes its failure, and one of a handler the
 * request's error.
 */
export function serveThread<Data, Opening, Owner = never>(
  open: (
    data: Data,
    owner: ThreadChannel<Owner>,
  ) => Result<Served<Opening>, string> | Promise<Result<Served<Opening>, string>>,
): void {
  const port = parentPort;
  if (port === null) return;
  collectBurstGarbage();
  let handlers = {};
  const owner = openThreadChannel<Owner>(port, () => handlers);
  const send = (opened: Result<Opening, string>): void =>
    port.postMessage({ opened } satisfies OpeningMessage<Opening>);
  const take = (opened: Result<Served<Opening>, string>): void => {
    if (opened.ok) handlers = opened.value.handlers;
    send(opened.ok ? ok(opened.value.opening) : opened);
  };
  try {
    const opened = open(workerData as Data, owner);
    if (opened instanceof Promise) opened.then(take).catch((error: unknown) => send(fail(errorText(error))));
    else take(opened);
  } catch (error) {
    send(fail(errorText(error)));
  }
}
