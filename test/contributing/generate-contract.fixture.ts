import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./recipe.fixture.ts";

/** Generates the code of the contract in a copy of the checkout. */
export async function generateContract(copy: string): Promise<void> {
  const bin = join(root, "node_modules/.bin");
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}` };
  for (const [program, argument] of [
    [join(bin, "buf"), "generate"],
    [process.execPath, "comments.mjs"],
  ] as const)
    await promisify(execFile)(program, [argument], { cwd: join(copy, "proto"), env });
}
