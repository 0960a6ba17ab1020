import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { fail, ok, type Result } from "../../model/result.ts";

const gzipped = promisify(gzip);

export type StaticFile = {
  /** Body, or what reads it from the disk. */
  readonly body: Buffer | (() => Promise<Buffer>);
  /** Returns the compressed body; undefined when compression saves less than 10 %. */
  readonly gzip: () => Promise<Buffer | undefined>;
  readonly contentType: string;
  readonly etag: string;
  readonly cacheControl: string;
  /** Content security policy instead of the usual one; undefined for that one. */
  readonly policy?: string;
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
  ".webp": "image/webp",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};
/** Asset names that contain a content hash; such a file never changes. */
const hashedName = /\/assets\/.*[-.][\w-]{8,}\.\w+$/;

/**
 * Reads every file below `dir` into memory, once. Requests are answered from this map and never from the disk, which
 * rules out path traversal. Files whose names begin with a dot and symbolic links are left out.
 */
export async function loadStaticFiles(dir: string): Promise<Result<StaticFiles, string>> {
  try {
    const files = (await listFiles(dir)).map(async (path) => [urlOf(path), await loadFile(path, dir)] as const);
    return ok(new Map(await Promise.all(files)));
  } catch (error) {
    return fail(`the files in ${JSON.stringify(dir)} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Files of a web site below `dir`, each of which is read when it is asked for: they are many and seldom read. `/index.html`
 * of a folder is also served at the folder's path with a slash. Files that come later are not found, and symbolic links are
 * left out. Returns no files when there is no such folder.
 */
export async function openSite(
  dir: string,
  options: { readonly at: string; readonly policy: string },
): Promise<StaticFiles> {
  const { at, policy } = options;
  const paths = await listFiles(dir).catch(() => []);
  const files = paths.map(async (path) => {
    const { size, mtimeMs } = await stat(join(dir, path));
    const url = `${at}${urlOf(path)}`;
    const etag = `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
    return [url, { ...headOf(url), gzip: notCompressed, etag, policy, body: () => readFile(join(dir, path)) }] as const;
  });
  const found = new Map<string, StaticFile>(await Promise.all(files));
  for (const [url, file] of [...found])
    if (url.endsWith("/index.html")) found.set(url.slice(0, -"index.html".length), file);
  return found;
}

/** Paths of the files below a folder, except links and those with a name that begins with a dot. */
async function listFiles(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(dir, "/").length))
    .filter((path) => !path.split("/").some((part) => part.startsWith(".")));
}

const urlOf = (path: string): string =>
  `/${path
    .split("/")
    .map((part) => encodeURIComponent(part).replaceAll("%40", "@"))
    .join("/")}`;

const headOf = (url: string): Pick<StaticFile, "contentType" | "cacheControl"> => ({
  contentType: contentTypes[extname(url).toLowerCase()] ?? "application/octet-stream",
  cacheControl: hashedName.test(url) ? "public, max-age=31536000, immutable" : "no-cache",
});

async function notCompressed(): Promise<undefined> {}

async function loadFile(path: string, dir: string): Promise<StaticFile> {
  const body = await readFile(join(dir, path));
  let compressed: Promise<Buffer | undefined> | undefined;
  return {
    ...headOf(urlOf(path)),
    body,
    // At the first request: most starts of a program are not followed by one.
    gzip() {
      compressed ??= compress(body);
      return compressed;
    },
    etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`,
  };
}

async function compress(body: Buffer): Promise<Buffer | undefined> {
  const small = await gzipped(body, { level: 9 });
  return small.length < body.length * 0.9 ? small : undefined;
}
