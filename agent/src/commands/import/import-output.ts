import { stat, writeFile } from "node:fs/promises";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { replacePrivateFile } from "@realmwatch/shared/platform/files/private-file";
import { optionalText } from "@realmwatch/shared/platform/flags/flag-parsers";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import type { ProgramExit } from "@realmwatch/shared/platform/process/run-program";
import { countOutcomes, type ImportItem } from "./import-report.ts";
import { formatCue } from "./write-cue.ts";

/** Flag of a file that is read or written. */
export const importFile = (help: string) =>
  ({ kind: "value", help, placeholder: "FILE", fallback: "", parse: optionalText }) as const;

/** Flags of the results of every import. */
export const importOutputFlags = {
  out: importFile("Where to write the configuration document; required."),
  report: importFile("Where to write the findings about each object, as JSON."),
  lenient: { kind: "switch", help: "Exit with 0 although something was not carried over." },
} as const satisfies FlagTable;

/** Refusal of a command line without `-out`. */
export const outIsNeeded: ProgramExit = {
  code: 2,
  lines: ["realmwatch-agent: -out is needed: the file for the document"],
};

/** Result of an import. `origin` says from where and by which command it was made. */
type ImportedDocument = {
  readonly document: object;
  readonly items: readonly ImportItem[];
  readonly origin: string;
};
/** Files for the results, and whether losses are accepted. */
type ImportOutput = {
  readonly out: string;
  readonly report: string | undefined;
  readonly lenient: boolean;
};

/** Maximum number of findings that are printed; the report has all. */
const maxPrinted = 50;

/** Writes the document and the report, and returns the findings as text; exits with 3 where something was left out. */
export async function writeImport(
  { document, items, origin }: ImportedDocument,
  { out, report, lenient }: ImportOutput,
): Promise<Result<string, string | ProgramExit>> {
  const written = await write(out, `// Imported from ${origin}.\n\n${formatCue(document)}`);
  if (!written.ok) return written;
  if (report !== undefined) {
    const reported = await write(report, `${JSON.stringify(items, undefined, 2)}\n`);
    if (!reported.ok) return reported;
  }
  return exitOf(items, { out, lenient });
}

function exitOf(
  items: readonly ImportItem[],
  { out, lenient }: { readonly out: string; readonly lenient: boolean },
): Result<string, ProgramExit> {
  const { converted, approximated, unsupported } = countOutcomes(items);
  const summary = `${out}: ${converted} converted, ${approximated} approximated, ${unsupported} unsupported`;
  const remarks = items.filter(({ outcome }) => outcome !== "converted");
  const lines = remarks.slice(0, maxPrinted).map(formatItem);
  if (remarks.length > maxPrinted) lines.push(`… and ${remarks.length - maxPrinted} more: see -report`);
  const text = [...lines, summary];
  if (unsupported === 0 || lenient) return ok(text.join("\n"));
  return fail({ code: 3, lines: text, requested: true });
}

const formatItem = ({ source, kind, name, outcome, why }: ImportItem): string =>
  `${source.file}:${source.line}: ${kind} ${name}: ${outcome}: ${why}`;

/**
 * Writes a file that only its owner may read, because a configuration may contain passwords. A path that is no
 * regular file, such as `/dev/stdout`, is written to and not replaced.
 */
async function write(path: string, text: string): Promise<Result<undefined, string>> {
  const isFile = (await stat(path).catch(() => undefined))?.isFile() ?? true;
  const written = isFile ? await replacePrivateFile(path, text) : await writeTo(path, text);
  return written.ok ? written : fail(`${path}: cannot be written: ${written.error}`);
}

async function writeTo(path: string, text: string): Promise<Result<undefined, string>> {
  try {
    await writeFile(path, text);
    return ok(undefined);
  } catch (error) {
    return fail((error as NodeJS.ErrnoException).code ?? "unknown error");
  }
}
