import type { CueObject } from "./imported-document.ts";
import { type CueStruct, cueFields, cueNode, inlineOf } from "./write-cue.ts";

/** Stands for the name of a host. No text of a document has it. */
const marker = "\uE000";

/** Dependencies between services of one host that are the same on several hosts, with these hosts. */
type Repeated = { readonly entry: string; readonly names: readonly string[]; readonly hosts: readonly string[] };

/** Writes dependencies: those that are the same on several hosts as a comprehension over the hosts. */
export function writeDependencies(dependencies: CueObject): CueStruct {
  const patterns = Object.entries(dependencies).flatMap(([name, dependency]) => patternOf(name, dependency) ?? []);
  const repeated = [...Map.groupBy(patterns, ({ entry }) => entry)]
    .filter(([, of]) => of.length > 1)
    .map(([entry, of]): Repeated => ({ entry, names: of.map(({ name }) => name), hosts: of.map(({ host }) => host) }));
  const written = new Set(repeated.flatMap(({ names }) => names));
  const others = Object.entries(dependencies).filter(([name]) => !written.has(name));
  return {
    embedded: repeated.map(({ entry, hosts }) => `for host in ${wrapped(hosts)} ${entry}`),
    fields: cueFields(Object.fromEntries(others)),
  };
}

/** A dependency as it is on any host; undefined when it has objects of other hosts. */
function patternOf(name: string, dependency: unknown): { entry: string; name: string; host: string } | undefined {
  const { on, dependents } = dependency as { on: { ref?: string }; dependents: readonly { ref?: string }[] };
  const [host = "", service] = on.ref?.split("!") ?? [];
  const isLocal = service !== undefined && dependents.every(({ ref }) => ref?.startsWith(`${host}!`) === true);
  if (!isLocal) return undefined;
  const textOf = (text: string): string =>
    JSON.stringify(text.replace(`${host}!`, `${marker}!`)).replace(marker, "\\(host)");
  const title = JSON.stringify(name.replaceAll(`${host}!`, `${marker}!`)).replaceAll(marker, "\\(host)");
  return { entry: `{${title}: ${inlineOf(cueNode(dependency, textOf))}}`, name, host };
}

/** A list of texts in lines of some length. */
function wrapped(texts: readonly string[]): string {
  const lines: string[] = [];
  for (const text of texts.map((each) => JSON.stringify(each))) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + text.length < 100) lines[lines.length - 1] = `${last}, ${text}`;
    else lines.push(text);
  }
  return lines.length === 1 ? `[${lines[0]}]` : `[\n${lines.map((line) => `\t\t${line},\n`).join("")}\t]`;
}
