import type { IncomingHttpHeaders } from "node:http";
import type { HttpRequest, HttpResponse } from "./http-messages.ts";
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
 * requested by another method than GET and HEAD. When a page handler throws, the response is 500 without details, and
 * the error is rethrown for the caller to log.
 */
export async function servePage(
  request: HttpRequest,
  response: HttpResponse,
  { pages, files, isAppRoute, peer }: PageServerOptions & { readonly peer: string },
): Promise<void> {
  const [path = "", queryText = ""] = splitOnce(request.url ?? "", "?");
  const resource = pages.get(path) ?? staticFileOf(path, { files, isAppRoute });
  if (resource === undefined) return send(request, response, textResponse(404, "not found"));
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    return send(request, response, textResponse(405, "method not allowed"));
  }
  if (typeof resource !== "function") return sendFile(request, response, resource);
  try {
    const query = new URLSearchParams(queryText);
    return send(request, response, await resource({ query, headers: request.headers, peer }));
  } catch (error) {
    send(request, response, textResponse(500, "internal error"));
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

function send(request: HttpRequest, response: HttpResponse, { status, contentType, body }: PageResponse): void {
  const bytes = Buffer.from(body);
  writeHead(response, status, {
    "content-type": contentType,
    "content-length": bytes.length,
    "cache-control": "no-store",
  });
  endWith(response, request.method === "HEAD" ? undefined : bytes);
}

function sendFile(request: HttpRequest, response: HttpResponse, file: StaticFile): void {
  const head = { etag: file.etag, "cache-control": file.cacheControl, vary: "accept-encoding" };
  if (request.headers["if-none-match"]?.split(/\s*,\s*/).includes(file.etag)) {
    writeHead(response, 304, head);
    return endWith(response, undefined);
  }
  const zipped = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? "")) ? file.gzip : undefined;
  const body = zipped ?? file.body;
  writeHead(response, 200, {
    ...head,
    "content-type": file.contentType,
    "content-length": body.length,
    ...(zipped === undefined ? {} : { "content-encoding": "gzip" }),
  });
  endWith(response, request.method === "HEAD" ? undefined : body);
}

/** HTTP/1.1 and HTTP/2 responses share these methods, but their types have no common `writeHead` signature. */
function writeHead(response: HttpResponse, status: number, head: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(head)) response.setHeader(name, value);
  response.statusCode = status;
}

function endWith(response: HttpResponse, body: Buffer | undefined): void {
  if (body === undefined) response.end();
  else response.end(body);
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
