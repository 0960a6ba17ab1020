import { after } from "node:test";
import type { Owner } from "../run/processes.ts";

/** Owner of the resources that all tests of a file share: releases them in reverse order after the last test. */
export function fileOwner(): Owner {
  const ends: (() => void | Promise<void>)[] = [];
  after(async () => {
    for (const end of ends.reverse()) await end();
  });
  return { after: (end) => void ends.push(end) };
}
