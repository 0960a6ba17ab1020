import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { fail, ok, type Result } from "../../model/result.ts";

const gzipped = promisify(gzip);

export type StaticFile = {
  readonly body: Buffer;
  /** Compressed body; undefined when compression saves less than 10 %. */
  readonly gzip: Buffer | undefined;
  readonly contentType: string;
  readonly etag: string;
  readonly cacheControl: string;
};
/** Files by request path, percent-encoded as a browser sends it: `/assets/app-B0a8rT5x.js`. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};
/** Asset names that contain a content hash; such a file never changes. */
const hashedName = /^\/assets\/.*-[\w-]{8,}\.\w+$/;

/**
 * Reads every file below `dir` into memory, once. Requests are answered from this map and never from the disk, which
 * rules out path traversal. Files whose names begin with a dot and symbolic links are left out.
 */
export async function loadStaticFiles(dir: string): Promise<Result<StaticFiles, string>> {
  try {
    const entries = await readdir(dir, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(dir, "/").length))
      .filter((path) => !path.split("/").some((part) => part.startsWith(".")));
    const files = paths.map(async (path) => {
      const url = `/${path.split("/").map(encodeURIComponent).join("/")}`;
      return [url, await loadFile(url, join(dir, path))] as const;
    });
    return ok(new Map(await Promise.all(files)));
  } catch (error) {
    return fail(`the files in ${JSON.stringify(dir)} cannot be read: ${(error as Error).message}`);
  }
}

async function loadFile(url: string, path: string): Promise<StaticFile> {
  const body = await readFile(path);
  const small = await gzipped(body, { level: 9 });
  return {
    body,
    gzip: small.length < body.length * 0.9 ? small : undefined,
    contentType: contentTypes[extname(path).toLowerCase()] ?? "application/octet-stream",
    etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`,
    cacheControl: hashedName.test(url) ? "public, max-age=31536000, immutable" : "no-cache",
  };
}
