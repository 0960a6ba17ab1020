import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../model/clock.ts";
import { oneAtATime } from "../one-at-a-time.ts";
import type { TextLimits, TextStore } from "../text-store.ts";
import { createFolder } from "./create-folder.ts";
import { readPrivateFile, replacePrivateFile } from "./private-file.ts";

type TextFilesOptions = {
  /** Created with mode 0700 when the first text is stored. Used by one process at a time. */
  readonly folder: string;
  readonly limits: TextLimits;
  readonly clock: Pick<Clock, "now">;
};

/** Texts in one file each, of mode 0600, whose time is that of the text. Keys consist of letters, digits, `-` and `_`. */
export function textFiles({ folder, limits, clock }: TextFilesOptions): TextStore {
  const pathOf = (key: string): string => join(folder, key);

  async function read(key: string): Promise<string | undefined> {
    const text = await readPrivateFile(pathOf(key), limits.maxLength);
    if (text.ok) return text.value;
    throw new Error(`${pathOf(key)} cannot be read: ${text.error}`);
  }

  async function write(key: string, text: string): Promise<void> {
    createFolder(folder, 0o700);
    const written = await replacePrivateFile(pathOf(key), text);
    if (!written.ok) throw new Error(`${pathOf(key)} cannot be written: ${written.error}`);
  }

  /** Deletes files that are too old, and the oldest ones of too many. */
  async function trim(): Promise<void> {
    let length = 0;
    for (const [at, { name, atMs, size }] of (await newestFiles(folder)).entries()) {
      length += size;
      const isKept = at < limits.maxTexts && length <= limits.maxLength && clock.now() - atMs < limits.keptMs;
      if (!isKept) await rm(pathOf(name), { force: true });
    }
  }

  /** Texts are added one after the other, so that the first text of a key stays. */
  const inTurn = oneAtATime();
  return {
    read,
    add: (key, text) =>
      inTurn(async () => {
        const known = await read(key);
        if (known !== undefined) return known;
        await write(key, text);
        await trim();
        return text;
      }),
    async list({ fromMs = 0, toMs = Number.POSITIVE_INFINITY, offset, limit }) {
      createFolder(folder, 0o700);
      // A file that is being written has a dot in its name.
      const isListed = ({ name, atMs }: { name: string; atMs: number }): boolean =>
        !name.includes(".") && atMs >= fromMs && atMs <= toMs;
      const files = (await newestFiles(folder)).filter(isListed);
      const texts = files.slice(offset, offset + limit).map(async ({ name: key, atMs }) => {
        const text = await read(key);
        return text === undefined ? [] : [{ key, text, atMs }];
      });
      return (await Promise.all(texts)).flat();
    },
  };
}

/** Files of a folder, the newest first. */
async function newestFiles(folder: string) {
  const names = await readdir(folder);
  const files = await Promise.all(
    names.map(async (name) => ({ name, found: await stat(join(folder, name)).catch(() => undefined) })),
  );
  return files
    .flatMap(({ name, found }) =>
      found?.isFile() ? [{ name, atMs: Math.round(found.mtimeMs), size: found.size }] : [],
    )
    .sort((a, b) => b.atMs - a.atMs || (a.name < b.name ? 1 : -1));
}
