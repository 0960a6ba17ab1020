import { dirname } from "node:path";
import { oneAtATime } from "../one-at-a-time.ts";
import type { TextMap } from "../text-store.ts";
import { createFolder } from "./create-folder.ts";
import { readPrivateFile, replacePrivateFile } from "./private-file.ts";

/** Largest file, bytes. */
const maxBytes = 16 * 1024 * 1024;

/** Texts in one file of mode 0600, as a JSON object. The file is used by one process at a time. */
export function textMapFile(path: string): TextMap {
  async function all(): Promise<Map<string, string>> {
    const text = await readPrivateFile(path, maxBytes);
    if (!text.ok) throw new Error(`${path} cannot be read: ${text.error}`);
    return new Map(Object.entries<string>(JSON.parse(text.value ?? "{}")));
  }

  /** Each change writes the whole file. */
  const inTurn = oneAtATime();
  return {
    all,
    set: (name, text) =>
      inTurn(async () => {
        const texts = await all();
        if (text === undefined) texts.delete(name);
        else texts.set(name, text);
        createFolder(dirname(path), 0o700);
        const written = await replacePrivateFile(path, JSON.stringify(Object.fromEntries(texts)));
        if (!written.ok) throw new Error(`${path} cannot be written: ${written.error}`);
      }),
  };
}
