import { type CueObject, SharedParts } from "../../import/imported-document.ts";
import type { IcingaCommandLine, IcingaCommandWord } from "./command-line.ts";

/** Reference to a command of the document, as checks, handlers and contacts have it. */
type IcingaCommandUse = { readonly command: string; readonly args?: readonly string[] };

/** Maximum number of `$ARGn$`. */
const maxArguments = 32;

/** Commands of the document. Uses of a command with the same arguments share one. */
export class IcingaCommandTemplates {
  /** Name of the source's command by the name in the document. */
  readonly origins = new Map<string, string>();
  readonly #shared = new SharedParts();
  readonly #pluginFolder: string | undefined;
  #usesPluginFolder = false;

  constructor(pluginFolder: string | undefined) {
    this.#pluginFolder = pluginFolder === "" ? undefined : pluginFolder;
  }

  get commands(): CueObject {
    return this.#shared.parts;
  }

  /** Resources that the lines name. */
  get resources(): CueObject {
    return this.#usesPluginFolder ? { USER1: this.#pluginFolder } : {};
  }

  use(name: string, { words, isShell }: IcingaCommandLine): IcingaCommandUse {
    const args: string[] = [];
    const parts = words.map((word) => this.#wordOf(word, args, isShell));
    const line = parts.join(" ");
    const command = this.#shared.nameOf(name, isShell ? { line, shell: true } : { line });
    this.origins.set(command, name);
    return args.length > 0 ? { command, args } : { command };
  }

  #wordOf({ text, isFixed }: IcingaCommandWord, args: string[], isShell: boolean): string {
    if (isShell) return text;
    if (isFixed && this.#pluginFolder !== undefined && text.startsWith(`${this.#pluginFolder}/`)) {
      this.#usesPluginFolder = true;
      return `$USER1$${quoted(text.slice(this.#pluginFolder.length))}`;
    }
    // The value of an argument is expanded once: one that names a macro is part of the line.
    if (isFixed || args.length >= maxArguments || /\$[A-Z_][A-Z0-9_]*\$/.test(text)) return quoted(text);
    args.push(text);
    return `$ARG${args.length}$`;
  }
}

/** Word as a command line has it. */
function quoted(text: string): string {
  if (/^[A-Za-z0-9_./:=@%+,$^-]+$/.test(text)) return text;
  return text.includes("'") ? `"${text.replaceAll(/["\\`]/g, "\\$&")}"` : `'${text}'`;
}
