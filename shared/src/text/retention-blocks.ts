import { fail, ok, type Result } from "../model/result.ts";

/** One block of a retention file, such as `service {…}`. */
export type RetentionBlock = {
  readonly type: string;
  /** Place of its first line, which counts from 1. */
  readonly source: { readonly file: string; readonly line: number };
  readonly values: ReadonlyMap<string, string>;
};

/** Parses a retention or status file. Fails with `file:line: message`. */
export function parseRetention(file: string, text: string): Result<readonly RetentionBlock[], string> {
  const blocks: RetentionBlock[] = [];
  let open: (RetentionBlock & { readonly values: Map<string, string> }) | undefined;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    const begin = /^(\w+)\s*\{$/.exec(line);
    if (line === "" || line.startsWith("#")) continue;
    if (begin !== null) open = { type: begin[1] ?? "", source: { file, line: index + 1 }, values: new Map() };
    else if (open === undefined) return fail(`${file}:${index + 1}: expected a block "TYPE {"`);
    else if (line === "}") {
      blocks.push(open);
      open = undefined;
    } else {
      const at = line.indexOf("=");
      if (at <= 0) return fail(`${file}:${index + 1}: expected name=value`);
      open.values.set(line.slice(0, at), line.slice(at + 1));
    }
  }
  return open === undefined ? ok(blocks) : fail(`${file}:${open.source.line}: the block has no closing brace`);
}

/** Number in a block; 0 when it has none. */
export const numberIn = ({ values }: RetentionBlock, name: string): number => {
  const number = Number(values.get(name) ?? 0);
  return Number.isFinite(number) ? number : 0;
};

/** Unix time of a block in ms; undefined for never. */
export const timeIn = (block: RetentionBlock, name: string): number | undefined => {
  const seconds = numberIn(block, name);
  return seconds > 0 ? seconds * 1000 : undefined;
};

/** Reference of the object that a block is about: `host` or `host!service`. */
export function refIn({ values }: RetentionBlock): string {
  const host = values.get("host_name") ?? "";
  const service = values.get("service_description");
  return service === undefined ? host : `${host}!${service}`;
}
