import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ConnectRouterOptions,
  createConnectRouter,
  type MethodImpl,
} from "@connectrpc/connect";
import type { Compression, UniversalHandler } from "@connectrpc/connect/protocol";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import { sharedCompression } from "../shared-compression.ts";
import { jsonFieldValidator } from "./json-field-validator.ts";
import { decodeJsonText } from "./json-text.ts";
import { lenientJson } from "./lenient-json.ts";
import { requestTooLarge } from "./request-limits.ts";

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** Reports a request that is too large after decompression with the same message as any other. */
const withSizeError = ({ decompress }: Compression): Pick<Compression, "decompress"> => ({
  decompress: (bytes, maxBytes) =>
    decompress(bytes, maxBytes).catch((error) => {
      throw ConnectError.from(error).code === Code.ResourceExhausted ? requestTooLarge(maxBytes) : error;
    }),
});

/**
 * At the libraries' default levels a response of some megabytes takes seconds; these levels cost about as much as
 * sending.
 */
const compressions: Compression[] = [
  {
    ...compressionGzip,
    ...withSizeError(compressionGzip),
    compress: sharedCompression(async (bytes) => new Uint8Array(await gzipped(bytes, { level: 4 }))),
  },
  {
    ...compressionBrotli,
    ...withSizeError(compressionBrotli),
    compress: sharedCompression(
      async (bytes) => new Uint8Array(await brotlied(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })),
    ),
  },
];

type JsonOptions = NonNullable<ConnectRouterOptions["jsonOptions"]> & {
  readonly textDecoder: { readonly decode: (bytes?: Uint8Array) => string };
};

/** Maximum size of a response, bytes. 100 000 status rows take about 100 MiB. */
const maxResponseBytes = 256 * 1_048_576;

type RpcRouterOptions = Pick<ConnectRouterOptions, "requestGate" | "interceptors"> & {
  /** Maximum size of a request to `path`, compressed or not, bytes. */
  readonly maxBytesOf: (path: string) => number;
  /** Paths whose requests in JSON are never refused: what cannot be read of them is left out. */
  readonly lenientPaths: ReadonlySet<string>;
};

/**
 * Builds the handlers of all RPCs that `mount` registers, by path, each with its own size limit. A method that an
 * implementation omits returns `unimplemented`.
 */
export function buildRpcHandlers(
  mount: (router: ConnectRouter) => void,
  { maxBytesOf, lenientPaths, ...options }: RpcRouterOptions,
): ReadonlyMap<string, UniversalHandler> {
  const inner = createConnectRouter({
    ...options,
    acceptCompression: compressions,
    writeMaxBytes: maxResponseBytes,
  });
  const router: ConnectRouter = {
    handlers: inner.handlers,
    rpc(method, implementation, more) {
      const isLenient = lenientPaths.has(pathOf(method));
      const jsonOptions = isLenient ? lenientJsonOptions(method.input) : strictJsonOptions(method.input);
      inner.rpc(method, implementation, { readMaxBytes: maxBytesOf(pathOf(method)), jsonOptions, ...more });
      return router;
    },
    service(service: DescService, implementation: object, more) {
      for (const method of service.methods) {
        const found = (implementation as Record<string, unknown>)[method.localName];
        const call = typeof found === "function" ? found.bind(implementation) : () => notImplemented(method);
        router.rpc(method, call as MethodImpl<DescMethod>, more);
      }
      return router;
    },
  };
  mount(router);
  return new Map(inner.handlers.map((handler) => [handler.requestPath, handler]));
}

/**
 * The library uses `textDecoder` of these options although its type does not declare it. The server tests on malformed
 * JSON fail when that changes.
 */
function strictJsonOptions(input: DescMessage): JsonOptions {
  const check = jsonFieldValidator(input);
  return {
    textDecoder: {
      decode(bytes) {
        const text = decodeJsonText(bytes);
        check?.(JSON.parse(text));
        return text;
      },
    },
  };
}

function lenientJsonOptions(input: DescMessage): JsonOptions {
  const check = jsonFieldValidator(input);
  return { textDecoder: { decode: (bytes) => lenientJson(input, () => decodeJsonText(bytes), check) } };
}

const pathOf = (method: DescMethod): string => `/${method.parent.typeName}/${method.name}`;

function notImplemented(method: DescMethod): never {
  throw new ConnectError(`${method.parent.typeName}.${method.name} is not implemented`, Code.Unimplemented);
}
