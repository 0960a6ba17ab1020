import { existsSync, globSync, readdirSync, realpathSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorCode } from "@realmwatch/shared/platform/error-text";
import { describeFileError } from "@realmwatch/shared/platform/files/describe-file-error";
import { readRegularFileSync } from "@realmwatch/shared/platform/files/regular-file";
import { ImportLimits } from "../import/import-limits.ts";
import type { ImportReport, SourceLine, SourceProblem } from "../import/import-report.ts";
import { commentAbove } from "../import/source-notes.ts";
import { builtInCommand } from "./convert/itl-commands.ts";
import { type IcingaDefinition, IcingaEvaluation, type IcingaScope, type IcingaSubject } from "./dsl/evaluation.ts";
import { parseIcinga } from "./dsl/parse-icinga.ts";
import { IcingaLimitError, IcingaSourceError, type IcingaStatement, problemOf } from "./dsl/syntax.ts";
import { IcingaDictionary, type IcingaValue, icingaText } from "./dsl/values.ts";
import { type IcingaObjects, templateLibrary } from "./icinga-object.ts";
import { resolveObjects } from "./resolve-objects.ts";

type Include = Extract<IcingaStatement, { kind: "include" }>;

/**
 * Reads a folder or a main file with all that it includes, and makes the objects. Fails with the file, where known the
 * line, and the reason when the main file cannot be read; what else is not valid is a finding.
 *
 * @param library folder of the template library; without one, what is built in here is used
 */
export function readIcingaConfiguration(
  path: string,
  { report, library }: { readonly report: ImportReport; readonly library: string },
): Result<IcingaObjects, string> {
  const reader = new Reader(report, library);
  const refused = reader.readAll(path);
  if (refused !== undefined) return fail(`${refused.source.file}:${refused.source.line}: ${refused.why}`);
  const { definitions, evaluation, limits, comments } = reader;
  const folder = icingaText(evaluation.globals.get("PluginDir"));
  const objects = resolveObjects({ evaluation, definitions, report, limits });
  return ok({ objects, pluginFolder: folder, library, comments });
}

/** Values of constants that the main file may replace, as a package of Debian has them. */
const constants: Readonly<Record<string, IcingaValue>> = {
  ...{ PluginDir: "/usr/lib/nagios/plugins", PluginContribDir: "/usr/lib/nagios/plugins" },
  ...{ ManubulonPluginDir: "/usr/lib/nagios/plugins", NscpPath: "", TicketSalt: "" },
  ...{ NodeName: hostname(), ZoneName: hostname(), Environment: "production" },
  ...{ PrefixDir: "/usr", SysconfDir: "/etc", LocalStateDir: "/var", RunDir: "/run", InitRunDir: "/run/icinga2" },
  ...{ PkgDataDir: "/usr/share/icinga2", IncludeConfDir: templateLibrary, DataDir: "/var/lib/icinga2" },
  ...{ CacheDir: "/var/cache/icinga2", LogDir: "/var/log/icinga2", SpoolDir: "/var/spool/icinga2" },
  ...{ RunAsUser: "nagios", RunAsGroup: "nagios", PlatformKernel: "Linux", MaxConcurrentChecks: 512 },
};

/** Files of the template library of which this import has what it converts. */
const builtInFiles: ReadonlySet<string> = new Set(["itl", "plugins", "windows-plugins", "nscp"]);

/** Maximum size of a file, bytes: that of a document. */
const maxFileBytes = 64 * 2 ** 20;
const wildcard = /[*?[]/;
/** Maximum number of folders in a path that have wildcards: more could match the whole file system. */
const maxWildcards = 3;

class Reader {
  readonly evaluation: IcingaEvaluation;
  readonly definitions: (IcingaDefinition & { readonly zone: string })[] = [];
  /** Comments that stand before declarations, by their places. */
  readonly comments = new Map<string, string>();
  readonly #lines = new Map<string, readonly string[]>();
  readonly #report: ImportReport;
  readonly limits = new ImportLimits();
  /** Files, and folders with a pattern, that were read, by their real paths: links may make circles. */
  readonly #read = new Set<string>();
  #zone = "";
  /** True when a limit was reached: nothing more can be evaluated. */
  #isEnded = false;

  readonly #library: string;

  constructor(report: ImportReport, library: string) {
    this.#report = report;
    this.#library = library;
    this.evaluation = new IcingaEvaluation(
      {
        declared: (definition) => this.#declared(definition),
        included: (statement, scope) => this.#include(statement, scope),
        unsupported: (source, subject, why) => this.#unsupported(source, subject, why),
        builtIn: (type, name) => this.#builtIn(type, name),
      },
      this.limits,
    );
    for (const [name, value] of Object.entries(constants)) this.evaluation.globals.set(name, value);
  }

  /** Reads all files; the result is the reason why the main file cannot be read, if any. */
  readAll(path: string): SourceProblem | undefined {
    const at = { file: path, line: 1 };
    let main = path;
    try {
      if (statSync(path).isDirectory()) main = join(path, "icinga2.conf");
    } catch (error) {
      return { source: at, why: `cannot be read: ${describeFileError(errorCode(error))}` };
    }
    const folder = dirname(resolve(main));
    this.evaluation.globals.set("ConfigDir", folder);
    this.evaluation.globals.set("ZonesDir", join(folder, "zones.d"));
    if (!existsSync(main)) {
      this.#attempt(path, at, () => this.#readFolder(path, "*.conf", at));
      return undefined;
    }
    const read = readRegularFileSync(main, maxFileBytes);
    if (!read.ok) return { source: { file: main, line: 1 }, why: `cannot be read: ${describeFileError(read.error)}` };
    try {
      this.#isKnown(main);
      this.#evaluate(main, read.value.toString("utf8"));
    } catch (error) {
      return problemOf(error, at);
    }
    this.#attempt(main, at, () => this.#readZones(join(dirname(main), "zones.d"), at));
    return undefined;
  }

  #declared(definition: IcingaDefinition): void {
    const { kind, type, source } = definition.declaration;
    if (type === "CheckCommand" && source.file.startsWith(`${this.#library}/`) && this.#isConverted(definition)) return;
    const comment = commentAbove(this.#lines.get(source.file) ?? [], source.line);
    if (comment !== undefined) this.comments.set(`${source.file}:${source.line}`, comment);
    // Objects can be imported as templates are.
    if (kind !== "apply") this.evaluation.addTemplate(definition);
    if (kind !== "template") this.definitions.push({ ...definition, zone: this.#zone });
  }

  /** True for a command of the template library that has a conversion of its own here. */
  #isConverted({ declaration: { name }, locals }: IcingaDefinition): boolean {
    const text = name && icingaText(this.evaluation.evaluate(name, { locals, self: undefined, subject: undefined }));
    return text !== undefined && builtInCommand(text, "") !== undefined;
  }

  #builtIn(type: string, name: string): IcingaDictionary | undefined {
    if (type !== "CheckCommand") return undefined;
    const command = builtInCommand(name, icingaText(this.evaluation.globals.get("PluginDir")));
    command?.attributes.delete("name");
    return command?.attributes;
  }

  #unsupported(source: SourceLine, subject: IcingaSubject | undefined, why: string): void {
    const { type: kind, name } = subject ?? { type: "statement", name: `line ${source.line}` };
    this.#report.add({ source, kind, name, outcome: "unsupported", why });
  }

  #include(statement: Include, scope: IcingaScope): void {
    const { source, how } = statement;
    if (statement.isBuiltIn) return this.#readLibrary(statement, scope);
    const [first = "", second = ""] = statement.args.map((each) => icingaText(this.evaluation.evaluate(each, scope)));
    const pathOf = (written: string): string =>
      written.startsWith("/") ? written : join(dirname(source.file), written);
    if (how === "include_recursive") return this.#readFolder(pathOf(first), second || "*.conf", source);
    if (how === "include_zones") return this.#readZones(pathOf(second), source);
    // As in Icinga 2, two stars are one: they do not stand for any number of folders.
    const path = pathOf(first).replaceAll(/\*+/g, "*");
    if (!wildcard.test(path)) return this.#readFile(path, source);
    if (path.split("/").filter((part) => wildcard.test(part)).length > maxWildcards)
      throw new IcingaSourceError(source, `more than ${maxWildcards} parts of the path have wildcards`);
    for (const file of globSync(path).toSorted()) this.#readFile(file, source);
  }

  /** Reads a file of the template library. */
  #readLibrary({ args, source }: Include, scope: IcingaScope): void {
    const [name = ""] = args.map((each) => icingaText(this.evaluation.evaluate(each, scope)));
    const path = join(this.#library, name);
    if (existsSync(path)) return this.#readFile(path, source);
    if (!builtInFiles.has(name))
      this.#unsupported(source, undefined, `${path} does not exist: give the folder of the library with -include`);
  }

  #readZones(folder: string, by: SourceLine): void {
    for (const entry of entriesOf(folder) ?? []) {
      if (!entry.isDirectory) continue;
      this.#zone = entry.name;
      this.#readFolder(join(folder, entry.name), "*.conf", by);
      this.#zone = "";
    }
  }

  #readFolder(folder: string, pattern: string, by: SourceLine): void {
    if (this.#isKnown(folder, pattern)) return;
    const entries = entriesOf(folder);
    if (entries === undefined) throw new IcingaSourceError(by, `cannot read the folder ${folder}`);
    const suffix = pattern.replace(/^\*/, "");
    // Constants come first, because other files of a folder without a main file use them.
    const order = (name: string): string => (name === "constants.conf" ? "" : name);
    for (const { name, isDirectory } of entries.toSorted((a, b) => (order(a.name) < order(b.name) ? -1 : 1)))
      if (isDirectory) this.#readFolder(join(folder, name), pattern, by);
      else if (name.endsWith(suffix)) this.#readFile(join(folder, name), by);
  }

  #readFile(path: string, by: SourceLine): void {
    if (this.#isKnown(path)) return;
    const read = readRegularFileSync(path, maxFileBytes);
    if (!read.ok) throw new IcingaSourceError(by, `cannot read ${path}: ${describeFileError(read.error)}`);
    this.#attempt(path, by, () => this.#evaluate(path, read.value.toString("utf8")));
  }

  /** True for a file or folder that was read before; it counts as read from now on. */
  #isKnown(path: string, pattern = ""): boolean {
    let key = `${path} ${pattern}`;
    try {
      key = `${realpathSync(path)} ${pattern}`;
    } catch {
      // A path that does not exist is reported by the attempt to read it.
    }
    const isKnown = this.#read.has(key);
    this.#read.add(key);
    return isKnown;
  }

  /** Evaluates a file. A statement that is not valid is left out, with a finding. Throws when the file cannot be parsed. */
  #evaluate(path: string, text: string): void {
    this.limits.addSource(text.length);
    if (!path.startsWith(`${this.#library}/`)) this.#lines.set(path, text.split(/\r?\n/));
    const scope = { locals: new IcingaDictionary(), self: undefined, subject: undefined };
    for (const statement of parseIcinga(path, text))
      this.#attempt(path, statement.source, () => this.evaluation.run([statement], scope));
  }

  /** Reads or evaluates a part of the sources; an error leaves it out, with a finding. */
  #attempt(name: string, at: SourceLine, read: () => void): void {
    if (this.#isEnded) return;
    try {
      read();
    } catch (error) {
      this.#isEnded = error instanceof IcingaLimitError;
      this.#report.add({ ...problemOf(error, at), kind: "file", name, outcome: "unsupported" });
    }
  }
}

/** Files and folders in a folder, with links followed; undefined when it cannot be read. */
function entriesOf(folder: string): readonly { readonly name: string; readonly isDirectory: boolean }[] | undefined {
  try {
    return readdirSync(folder).map((name) => {
      const isDirectory = statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() ?? false;
      return { name, isDirectory };
    });
  } catch {
    return undefined;
  }
}
