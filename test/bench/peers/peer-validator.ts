import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export type ConfigurationSize = { readonly hosts: number; readonly servicesPerHost: number };

/** Another program that validates a configuration without running it. */
export type PeerValidator = {
  readonly program: string;
  readonly name: string;
  /** Returns the files of a configuration, by name. */
  write(size: ConfigurationSize, folder: string): Readonly<Record<string, string>>;
  argumentsFor(folder: string): readonly string[];
};

const run = promisify(execFile);

/** Duration of one validation, ms; undefined when the program is not installed. */
export async function timeValidator(validator: PeerValidator, size: ConfigurationSize): Promise<number | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "validate-"));
  try {
    // Some programs drop their privileges before they read.
    await chmod(folder, 0o777);
    for (const [name, text] of Object.entries(validator.write(size, folder))) await writeFile(join(folder, name), text);
    const startedMs = performance.now();
    await run(validator.program, validator.argumentsFor(folder), { maxBuffer: 2 ** 26 });
    return performance.now() - startedMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}
