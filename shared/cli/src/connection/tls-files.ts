import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { readRegularFile } from "@realmwatch/shared/platform/files/regular-file";
import type { ConnectionFlags } from "./connection-flags.ts";

/** Contents of the files of `-ca`, `-cert` and `-key`, as `node:https` takes them; each is missing without its flag. */
export type ClientTls = { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };

const maxFileBytes = 1_048_576;

/** Reads the files of the flags. The error is one sentence that names the flag and the file. */
export async function readTlsFiles(
  flags: Pick<ConnectionFlags, "ca" | "cert" | "key">,
): Promise<Result<ClientTls, string>> {
  const { ca, cert, key } = flags;
  if ((cert === undefined) !== (key === undefined)) return fail("-cert and -key need each other: give both or none");
  const contents: Record<string, Buffer> = {};
  for (const [name, path] of Object.entries({ ca, cert, key })) {
    if (path === undefined) continue;
    const read = await readRegularFile(path, maxFileBytes);
    if (!read.ok) return fail(`-${name}: ${path} cannot be read: ${read.error}`);
    contents[name] = read.value;
  }
  return ok(contents);
}
