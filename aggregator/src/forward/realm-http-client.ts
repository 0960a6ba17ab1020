import type { UniversalClientFn, UniversalClientRequest, UniversalClientResponse } from "@connectrpc/connect/protocol";
import { type Dispatcher, errors, Pool } from "undici";

/** Timeout for a connection, ms. Without one the realm is unreachable, before any deadline. */
const connectTimeoutMs = 3_000;
const noConnection = `no connection within ${connectTimeoutMs / 1000} s`;
/** Maximum number of concurrent calls to one realm; further ones wait. */
const maxConnections = 32;

/** HTTP client of one call. */
type CallClient = {
  readonly httpClient: UniversalClientFn;
  /** True when the call had a connection, so that its request may have been sent. */
  wasSent(): boolean;
};

/** Opens the connections to a server, which all calls share. Answers are read as a whole, up to `maxAnswerBytes`. */
export function openRealmHttpClient(url: string, maxAnswerBytes: number) {
  const pool = new Pool(new URL(url).origin, {
    ...{ connections: maxConnections, connect: { timeout: connectTimeoutMs } },
    // The call's own deadline ends it.
    ...{ headersTimeout: 0, bodyTimeout: 0 },
  });
  return {
    forCall(): CallClient {
      let sent = false;
      const onSent = (): void => {
        sent = true;
      };
      return {
        httpClient: async (request) =>
          exchange(pool, { request, body: await bytesOf(request), maxAnswerBytes, onSent }),
        wasSent: () => sent,
      };
    },
    close: () => void pool.destroy(),
  };
}

type Exchange = {
  readonly request: UniversalClientRequest;
  readonly body: Uint8Array;
  readonly maxAnswerBytes: number;
  readonly onSent: () => void;
};

async function bytesOf({ body }: UniversalClientRequest): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Sends a request and reads its answer. Rejects when the connection fails or breaks, or the signal of the request aborts. */
async function exchange(
  pool: Pool,
  { request, body, maxAnswerBytes, onSent }: Exchange,
): Promise<UniversalClientResponse> {
  const { url, method, header, signal } = request;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let answer: { status: number; header: Headers } | undefined;
    const chunks: Buffer[] = [];
    let length = 0;
    const abort = (): void => {
      controller?.abort(signal?.reason);
      reject(signal?.reason);
    };
    const end = (): void => signal?.removeEventListener("abort", abort);
    signal?.addEventListener("abort", abort);
    const { pathname, search } = new URL(url);
    pool.dispatch(
      { path: pathname + search, method: method as Dispatcher.HttpMethod, headers: header, body },
      {
        onRequestStart(started) {
          controller = started;
          // It has waited for a connection until its caller was gone.
          if (signal?.aborted) return void started.abort(signal.reason);
          onSent();
        },
        onResponseStart(_, status, headers) {
          answer = { status, header: headersOf(headers) };
        },
        onResponseData(reading, chunk) {
          length += chunk.length;
          if (length > maxAnswerBytes) reading.abort(new Error(`the answer has more than ${maxAnswerBytes} bytes`));
          else chunks.push(chunk);
        },
        onResponseEnd() {
          end();
          if (answer) resolve({ ...answer, body: iterated(chunks), trailer: new Headers() });
        },
        onResponseError(_, error) {
          end();
          reject(error instanceof errors.ConnectTimeoutError ? new Error(noConnection) : error);
        },
      },
    );
  });
}

async function* iterated<T>(values: readonly T[]): AsyncGenerator<T, void> {
  yield* values;
}

function headersOf(fields: { readonly [name: string]: string | string[] | undefined }): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(fields))
    for (const each of [value].flat()) headers.append(name, each);
  return headers;
}
