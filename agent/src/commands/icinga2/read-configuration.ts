import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { ImportReport, SourceLine } from "../import/import-report.ts";
import { builtInCommand } from "./convert/itl-commands.ts";
import { type IcingaDefinition, IcingaEvaluation, type IcingaScope, type IcingaSubject } from "./dsl/evaluation.ts";
import { parseIcinga } from "./dsl/parse-icinga.ts";
import { IcingaSourceError, type IcingaStatement } from "./dsl/syntax.ts";
import { IcingaDictionary, icingaText } from "./dsl/values.ts";
import type { IcingaObjects } from "./icinga-object.ts";
import { resolveObjects } from "./resolve-objects.ts";

type Include = Extract<IcingaStatement, { kind: "include" }>;

/**
 * Reads a folder or a main file with all that it includes, and makes the objects. Fails with the file, where known the
 * line, and the reason.
 */
export function readIcingaConfiguration(path: string, report: ImportReport): Result<IcingaObjects, string> {
  try {
    const reader = new Reader(report);
    reader.readAll(path);
    const { definitions, evaluation } = reader;
    const folder = icingaText(evaluation.globals.get("PluginDir"));
    return ok({ objects: resolveObjects({ evaluation, definitions, report }), pluginFolder: folder });
  } catch (error) {
    if (error instanceof IcingaSourceError) return fail(error.message);
    throw error;
  }
}

/** Values of constants that the main file may replace. */
const constants: Readonly<Record<string, string>> = {
  PluginDir: "/usr/lib/nagios/plugins",
  PluginContribDir: "/usr/lib/nagios/plugins",
  ManubulonPluginDir: "/usr/lib/nagios/plugins",
  NodeName: "localhost",
  TicketSalt: "",
};

class Reader {
  readonly evaluation: IcingaEvaluation;
  readonly definitions: (IcingaDefinition & { readonly zone: string })[] = [];
  readonly #report: ImportReport;
  readonly #read = new Set<string>();
  #zone = "";

  constructor(report: ImportReport) {
    this.#report = report;
    this.evaluation = new IcingaEvaluation({
      declared: (definition) => this.#declared(definition),
      included: (statement, scope) => this.#include(statement, scope),
      unsupported: (source, subject, why) => this.#unsupported(source, subject, why),
      builtIn: (type, name) => this.#builtIn(type, name),
    });
    for (const [name, value] of Object.entries(constants)) this.evaluation.globals.set(name, value);
  }

  readAll(path: string): void {
    const kind = statSync(path, { throwIfNoEntry: false });
    const at = { file: path, line: 1 };
    if (kind === undefined) throw new IcingaSourceError(at, "cannot be read: ENOENT");
    const main = kind.isDirectory() ? join(path, "icinga2.conf") : path;
    const folder = dirname(resolve(main));
    this.evaluation.globals.set("ConfigDir", folder);
    if (statSync(main, { throwIfNoEntry: false }) === undefined) return this.#readFolder(path, "*.conf", at);
    this.#readFile(main, at);
    this.#readZones(join(dirname(main), "zones.d"), at);
  }

  #declared(definition: IcingaDefinition): void {
    const { kind } = definition.declaration;
    // Objects can be imported as templates are.
    if (kind !== "apply") this.evaluation.addTemplate(definition);
    if (kind !== "template") this.definitions.push({ ...definition, zone: this.#zone });
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
    if (statement.isBuiltIn) return;
    const { source, how } = statement;
    const [first = "", second = ""] = statement.args.map((each) => icingaText(this.evaluation.evaluate(each, scope)));
    const pathOf = (written: string): string =>
      written.startsWith("/") ? written : join(dirname(source.file), written);
    if (how === "include_recursive") return this.#readFolder(pathOf(first), second || "*.conf", source);
    if (how === "include_zones") return this.#readZones(pathOf(second), source);
    const path = pathOf(first);
    if (!/[*?[]/.test(path)) return this.#readFile(path, source);
    for (const file of globSync(path).toSorted()) this.#readFile(file, source);
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
    if (this.#read.has(resolve(path))) return;
    this.#read.add(resolve(path));
    const locals = new IcingaDictionary();
    this.evaluation.run(parseIcinga(path, readText(path, by)), { locals, self: undefined, subject: undefined });
  }
}

function readText(path: string, by: SourceLine): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new IcingaSourceError(by, `cannot read ${path}: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}`);
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
