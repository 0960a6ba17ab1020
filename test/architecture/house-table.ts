import { read } from "./sources.ts";

export type Floor = { readonly level: number; readonly name: string };

/** The table of docs/architecture.md: what a folder or file of `src` is called there, and its floor. */
export function readHouseTable(): ReadonlyMap<string, Floor> {
  const places = new Map<string, Floor>();
  for (const [, level, name, folders] of read("docs/architecture.md").text.matchAll(
    /^\| (\d) \| (\w+) \| ([^|]+) \|/gm,
  ))
    for (const [, text] of (folders as string).matchAll(/`([^`]+)`/g))
      for (const word of (text as string).split(/\s+/))
        places.set(word.replace(/^\*\/src\//, "").replace(/\/$/, ""), { level: Number(level), name: name as string });
  return places;
}

/**
 * Where a file lives: `agent/src/engine/step.ts` is program `agent`, place `engine`; beside `main.ts`, `main.ts`. What is
 * in `shared/cli` is program `cli`.
 */
export function placeOf(file: string): { program: string; place: string } {
  if (file.startsWith("shared/cli/")) return { ...placeOf(file.slice("shared/".length)), program: "cli" };
  const [program = "", source, first = ""] = file.split("/");
  if (program === "proto") return { program, place: "proto" };
  // What stands beside main.ts joins rooms as main.ts does.
  if (first.endsWith(".ts")) return { program, place: "main.ts" };
  return { program, place: source === "src" ? first : "" };
}
