import { read } from "./sources.ts";

export type Layer = { readonly level: number; readonly name: string };

/** Layers by folder or file name below `src`, read from the table of docs/architecture.md. */
export function readLayerTable(): ReadonlyMap<string, Layer> {
  const layers = new Map<string, Layer>();
  for (const [, level, name, folders] of read("docs/architecture.md").text.matchAll(
    /^\| (\d) \| (\w+) \| ([^|]+) \|/gm,
  ))
    for (const [, text] of (folders as string).matchAll(/`([^`]+)`/g))
      for (const word of (text as string).split(/\s+/))
        layers.set(word.replace(/^\*\/src\//, "").replace(/\/$/, ""), { level: Number(level), name: name as string });
  return layers;
}

/**
 * Program and module of a file: `agent/src/engine/step.ts` is program `agent`, module `engine`. Files beside `main.ts`
 * are module `main.ts`, because they join modules as `main.ts` does. Files of `shared/cli` are program `cli`.
 */
export function moduleOf(file: string): { program: string; module: string } {
  if (file.startsWith("shared/cli/")) return { ...moduleOf(file.slice("shared/".length)), program: "cli" };
  const [program = "", source, first = ""] = file.split("/");
  if (program === "proto") return { program, module: "proto" };
  if (first.endsWith(".ts")) return { program, module: "main.ts" };
  return { program, module: source === "src" ? first : "" };
}
