import { after } from "node:test";
import type { TestScope } from "../run/processes.ts";

/** Owner of the resources that all tests of a file share: releases them in reverse order after the last test. */
export function fileOwner(): TestScope {
  const ends: (() => void | Promise<void>)[] = [];
  after(async () => {
    for (const end of ends.reverse()) await end();
  });
  return { after: (end) => void ends.push(end) };
}
