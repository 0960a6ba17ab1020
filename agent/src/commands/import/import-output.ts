import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compilePlan } from "@realmwatch/shared/config/compile/compile-plan";
import { unusedDeclarations } from "@realmwatch/shared/config/lint/lint-unused";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorCode } from "@realmwatch/shared/platform/error-text";
import { describeFileError } from "@realmwatch/shared/platform/files/describe-file-error";
import { replacePrivateFile } from "@realmwatch/shared/platform/files/private-file";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { fileFlag } from "@realmwatch/shared/platform/flags/optional-flags";
import type { ProgramExit } from "@realmwatch/shared/platform/process/run-program";
import { countOutcomes, type ImportItem } from "./import-report.ts";
import type { ConvertedDocument, CueObject } from "./imported-document.ts";
import type { SourceNotes } from "./source-notes.ts";
import { documentFiles, documentText } from "./write-document.ts";

/** Flags of the results of every import. */
export const importOutputFlags = {
  out: fileFlag("Where to write the configuration document; a name that ends in / is a folder. Required."),
  report: fileFlag("Where to write the findings about each object, as JSON."),
  verify: fileFlag("Objects as the other system itself lists them: each difference from the document is a finding."),
  lenient: { kind: "switch", help: "Exit with 0 although something was not carried over." },
} as const satisfies FlagTable;

/** Refusal of a command line without `-out`. */
export const outIsNeeded: ProgramExit = {
  code: 2,
  lines: ["realmwatch-agent: -out is needed: the file for the document"],
};

/** Result of an import. `origin` says from where and by which command it was made. */
type ImportedDocument = ConvertedDocument & {
  readonly origin: string;
  /** Says how to make the list for `-verify`; undefined when it was given. */
  readonly hint: string | undefined;
};
/** Files for the results, and whether losses are accepted. */
type ImportOutput = {
  readonly out: string;
  readonly report: string | undefined;
  readonly lenient: boolean;
};

/** Maximum number of findings that are printed; the report has all. */
const maxPrinted = 50;

/** [IM32] Removes unused declarations from a valid document, and those that only they used. Returns a finding for each. */
function leaveOutUnused(document: CueObject, notes: SourceNotes): readonly ImportItem[] {
  const compiled = compilePlan(document, { realm: "default", localZone: "UTC" });
  const unused = compiled.ok ? unusedDeclarations(compiled.value) : [];
  if (unused.length === 0) return [];
  const items = unused.flatMap(([section, name]): readonly ImportItem[] => {
    const entries = document[section] as CueObject;
    Reflect.deleteProperty(entries, name);
    if (Object.keys(entries).length === 0) Reflect.deleteProperty(document, section);
    // A contact of which only those with other statuses are notified is not lost.
    if (section === "contacts" && Object.keys(entries).some((other) => other.startsWith(`${name}-`))) return [];
    const origin = notes.origins.get(`${section} ${name}`);
    const why = "nothing uses it, so it is not in the document";
    return origin === undefined ? [] : [{ ...origin, outcome: "converted", why }];
  });
  return [...items, ...leaveOutUnused(document, notes)];
}

/** Writes the document and the report, and returns the findings as text; exits with 3 where something was left out. */
export async function writeImport(
  { document, notes, items: found, origin, hint }: ImportedDocument,
  { out, report, lenient }: ImportOutput,
): Promise<Result<string, string | ProgramExit>> {
  const unused = leaveOutUnused(document, notes);
  const items = [...withoutLossesOf(unused, found), ...unused];
  const title = `// Imported from ${origin}.\n\n`;
  const written = out.endsWith("/")
    ? await writeFolder(out, title, documentFiles(document, notes))
    : await write(out, title + documentText(document, notes));
  if (!written.ok) return written;
  if (report !== undefined) {
    const reported = await write(report, `${JSON.stringify(items, undefined, 2)}\n`);
    if (!reported.ok) return reported;
  }
  return exitOf(items, { out, lenient, hint });
}

/** [IM32] Findings without the losses of unused commands, because leaving such a command out changes nothing. */
function withoutLossesOf(unused: readonly ImportItem[], found: readonly ImportItem[]): readonly ImportItem[] {
  const isCommand = ({ kind }: ImportItem): boolean => kind.toLowerCase().endsWith("command");
  const gone = new Set(unused.filter(isCommand).map(({ kind, name }) => `${kind} ${name}`));
  return found.filter(({ outcome, kind, name }) => outcome !== "unsupported" || !gone.has(`${kind} ${name}`));
}

function exitOf(
  items: readonly ImportItem[],
  { out, lenient, hint }: Pick<ImportOutput, "out" | "lenient"> & Pick<ImportedDocument, "hint">,
): Result<string, ProgramExit> {
  const { converted, approximated, unsupported } = countOutcomes(items);
  const summary = `${out}: ${converted} converted, ${approximated} approximated, ${unsupported} unsupported`;
  const remarks = items.filter(({ outcome }) => outcome !== "converted");
  const lines = remarks.slice(0, maxPrinted).map(formatItem);
  if (remarks.length > maxPrinted) lines.push(`… and ${remarks.length - maxPrinted} more: see -report`);
  const text = [...lines, ...(hint === undefined ? [] : [hint]), summary];
  if (unsupported === 0 || lenient) return ok(text.join("\n"));
  return fail({ code: 3, lines: text, requested: true });
}

const formatItem = ({ source, kind, name, outcome, why }: ImportItem): string =>
  `${source.file}:${source.line}: ${kind} ${name}: ${outcome}: ${why}`;

/** [IM31] Writes the files of a folder, which must have no other ones of a document: they would be part of it. */
async function writeFolder(
  folder: string,
  title: string,
  files: ReadonlyMap<string, string>,
): Promise<Result<undefined, string>> {
  try {
    await mkdir(folder, { recursive: true });
    const other = (await readdir(folder)).find((name) => name.endsWith(".cue") && !files.has(name));
    if (other !== undefined)
      return fail(`${join(folder, other)}: is not of this import: remove it, or give another -out`);
  } catch (error) {
    return fail(`${folder}: cannot be written: ${describeFileError(errorCode(error))}`);
  }
  for (const [name, text] of files) {
    const written = await write(join(folder, name), title + text);
    if (!written.ok) return written;
  }
  return ok(undefined);
}

/**
 * Writes a file that only its owner may read, because a configuration may contain passwords. A path that is no
 * regular file, such as `/dev/stdout`, is written to and not replaced.
 */
async function write(path: string, text: string): Promise<Result<undefined, string>> {
  const isFile = (await stat(path).catch(() => undefined))?.isFile() ?? true;
  const written = isFile ? await replacePrivateFile(path, text) : await writeTo(path, text);
  return written.ok ? written : fail(`${path}: cannot be written: ${describeFileError(written.error)}`);
}

async function writeTo(path: string, text: string): Promise<Result<undefined, string>> {
  try {
    await writeFile(path, text);
    return ok(undefined);
  } catch (error) {
    return fail(errorCode(error));
  }
}
