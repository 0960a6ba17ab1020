import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Secrets of a test, each with a value that occurs nowhere else. */
export type Canaries = {
  /** Returns the value of a secret, the same at each call. Letters and digits only. */
  of(name: string): string;
  /** Adds a secret that the test did not choose. */
  add(name: string, value: string): void;
  /** Names of the secrets that a text contains: in clear, in hex, or in base64 at any offset. */
  foundIn(text: string): readonly string[];
};

export function makeCanaries(): Canaries {
  const values = new Map<string, string>();
  return {
    of(name) {
      const value = values.get(name) ?? `c${randomBytes(20).toString("hex")}`;
      values.set(name, value);
      return value;
    },
    add: (name, value) => void values.set(name, value),
    foundIn: (text) =>
      [...values].filter(([, value]) => formsOf(value).some((form) => text.includes(form))).map(([name]) => name),
  };
}

/** Value itself, its hex, and the part of its base64 that does not depend on the text around it, at the three offsets. */
const formsOf = (value: string): readonly string[] => [
  value,
  Buffer.from(value).toString("hex"),
  ...[0, 1, 2].map((offset) =>
    Buffer.from("x".repeat(offset) + value)
      .toString("base64")
      .slice(4, -8),
  ),
];

/** Content of all files below a folder, by path. */
export function filesBelow(folder: string): [path: string, content: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "latin1")]);
}

/** Command lines of all processes of the machine, and the environment of those that `pid` started, by path. */
export function processTexts(pid: number): [path: string, content: string][] {
  const numbers = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const parents = new Map(
    numbers.map((number) => [number, /^PPid:\t(\d+)/m.exec(readProc(number, "status"))?.[1] ?? ""]),
  );
  const isBelow = (number: string): boolean => {
    const parent = parents.get(number);
    return parent === String(pid) || (parent !== undefined && isBelow(parent));
  };
  return numbers.flatMap((number) => {
    const files = isBelow(number) ? ["cmdline", "environ"] : ["cmdline"];
    return files.map((file): [string, string] => [`/proc/${number}/${file}`, readProc(number, file)]);
  });
}

/** Empty for a process that has ended or belongs to another user. */
function readProc(number: string, file: string): string {
  try {
    return readFileSync(`/proc/${number}/${file}`, "latin1");
  } catch {
    return "";
  }
}
