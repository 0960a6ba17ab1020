import { createRequire } from "node:module";

/** Parameter of `mallopt` for the size from which on a block has a mapping of its own. */
const mmapThreshold = -3;
/** Size of a large block, bytes. */
const largeBytes = 1_048_576;

let isDone = false;

/**
 * Makes the C library give large blocks back to the system when they are freed. By itself it raises the size from which on
 * it does so to the largest block freed so far, up to 32 MiB: the bodies of requests then stay in the heaps of its threads.
 * Holds for the whole process. Does nothing with a C library other than that of GNU.
 */
export function returnLargeBlocks(): void {
  if (isDone || process.platform !== "linux") return;
  isDone = true;
  try {
    // koffi's binaries are optional packages, so that loading it can fail.
    const library = (createRequire(import.meta.url)("koffi") as typeof import("koffi")).load(null);
    library.func("int mallopt(int parameter, int value)")(mmapThreshold, largeBytes);
  } catch {
    // Another C library, or no koffi: the process keeps more memory.
  }
}
