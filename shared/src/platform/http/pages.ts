import type { IncomingHttpHeaders } from "node:http";
import type { HttpExchange, HttpResponse } from "./http-messages.ts";
import { sendBody } from "./send-body.ts";
import type { StaticFile, StaticFiles } from "./static-files.ts";

type PageRequest = {
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly peer: string;
};
type PageResponse = { readonly status: number; readonly contentType: string; readonly body: string };
/** Answers GET and HEAD of one path. Must have no side effects. */
export type PageHandler = (request: PageRequest) => PageResponse | Promise<PageResponse>;

export type PageServerOptions = {
  /** Handlers by exact path, such as `/metrics`. */
  readonly pages: ReadonlyMap<string, PageHandler>;
  readonly files: StaticFiles;
  /** True when a path is a route of the web application, which is answered with its `index.html`. */
  readonly isAppRoute: (path: string) => boolean;
};

export const textResponse = (status: number, body: string): PageResponse => ({
  status,
  contentType: "text/plain; charset=utf-8",
  body: `${body}\n`,
});

/**
 * Answers a request that is not an RPC: a page, a file of the web application, else 404; 405 when one of these is
 * requested by another method than GET and HEAD. The 404 is the web application's page for a browser that opens the
 * address. When a page handler throws, the response is 500 without details, and the error is rethrown for the caller to
 * log.
 */
export async function servePage(
  exchange: HttpExchange,
  { pages, files, isAppRoute, peer }: PageServerOptions & { readonly peer: string },
): Promise<void> {
  const { request, response } = exchange;
  const [path = "", queryText = ""] = splitOnce(request.url ?? "", "?");
  const resource = pages.get(path) ?? staticFileOf(path, { files, isAppRoute });
  if (resource === undefined && files.has(`${path}/`)) return sendToFolder(exchange, `${path}/`);
  if (resource === undefined) return sendNotFound(exchange, files.get("/index.html"));
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    return send(exchange, textResponse(405, "method not allowed"));
  }
  try {
    if (typeof resource !== "function") return await sendFile(exchange, resource);
    const query = new URLSearchParams(queryText);
    return send(exchange, await resource({ query, headers: request.headers, peer }));
  } catch (error) {
    send(exchange, textResponse(500, "internal error"));
    throw error;
  }
}

/** File at a path: that of the web application's page for its routes, which is not served under its own name. */
function staticFileOf(
  path: string,
  { files, isAppRoute }: Pick<PageServerOptions, "files" | "isAppRoute">,
): StaticFile | undefined {
  if (path === "/index.html") return undefined;
  return files.get(path) ?? (isAppRoute(path) ? files.get("/index.html") : undefined);
}

/** Sends a reader who has left out the slash of a folder to it, because the links of its page are relative. */
function sendToFolder({ response }: HttpExchange, path: string): void {
  writeHead(response, 301, { location: path, "cache-control": "no-store" });
  response.end();
}

/** [PT31] Sends the web application with status 404 to a browser that opens an unknown address, else one line of text. */
async function sendNotFound(exchange: HttpExchange, app: StaticFile | undefined): Promise<void> {
  const { method, headers } = exchange.request;
  const isOpened = (method === "GET" || method === "HEAD") && /\btext\/html\b/.test(headers.accept ?? "");
  if (app === undefined || !isOpened) return send(exchange, textResponse(404, "not found"));
  return sendWhole(exchange, app, {
    status: 404,
    head: { "cache-control": "no-store", vary: "accept, accept-encoding" },
  });
}

function send(exchange: HttpExchange, { status, contentType, body }: PageResponse): void {
  const bytes = Buffer.from(body);
  writeHead(exchange.response, status, {
    "content-type": contentType,
    "content-length": bytes.length,
    "cache-control": "no-store",
  });
  endWith(exchange, bytes);
}

async function sendFile(exchange: HttpExchange, file: StaticFile): Promise<void> {
  const { request, response } = exchange;
  const head = {
    etag: file.etag,
    "cache-control": file.cacheControl,
    vary: "accept-encoding",
    ...(file.policy === undefined ? {} : { "content-security-policy": file.policy }),
  };
  if (request.headers["if-none-match"]?.split(/\s*,\s*/).includes(file.etag)) {
    writeHead(response, 304, head);
    return void response.end();
  }
  return sendWhole(exchange, file, { status: 200, head });
}

type WholeResponse = { readonly status: number; readonly head: Readonly<Record<string, string>> };

async function sendWhole(exchange: HttpExchange, file: StaticFile, { status, head }: WholeResponse): Promise<void> {
  const { request, response } = exchange;
  const takesGzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  const zipped = takesGzip ? await file.gzip() : undefined;
  const body = zipped ?? (typeof file.body === "function" ? await file.body() : file.body);
  writeHead(response, status, {
    ...head,
    "content-type": file.contentType,
    "content-length": body.length,
    ...(zipped === undefined ? {} : { "content-encoding": "gzip" }),
  });
  endWith(exchange, body);
}

/** HTTP/1.1 and HTTP/2 responses share these methods, but their types have no common `writeHead` signature. */
function writeHead(response: HttpResponse, status: number, head: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(head)) response.setHeader(name, value);
  response.statusCode = status;
}

function endWith({ request, response, admitted }: HttpExchange, body: Buffer): void {
  if (request.method === "HEAD") response.end();
  else sendBody(response, body, admitted);
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
