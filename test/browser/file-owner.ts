import { after } from "node:test";
import type { Owner } from "../run/processes.ts";

/** Owns what all tests of a file share: it ends, last begun first, when the file's last test has. */
export function fileOwner(): Owner {
  const ends: (() => void | Promise<void>)[] = [];
  after(async () => {
    for (const end of ends.reverse()) await end();
  });
  return { after: (end) => void ends.push(end) };
}
