import { stripVTControlCharacters } from "node:util";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { describeFileError } from "@realmwatch/shared/platform/files/describe-file-error";
import { readTextFile } from "../../platform/files/text-file.ts";
import { maxNesting, maxValueLength } from "../import/import-limits.ts";
import type { SourceLine } from "../import/import-report.ts";
import { IcingaDictionary, IcingaUnknown, type IcingaValue } from "./dsl/values.ts";
import { type IcingaObject, type IcingaObjects, templateLibrary } from "./icinga-object.ts";

const header = /^Object '(.*)' of type '([A-Za-z]+)':$/;
const declared = /^ *% declared in '([^']*)', lines? (\d+)/;
const attribute = /^( +)\* (.*?)(?: = (.*))?$/s;
const modified = /^ *% = modified in '([^']*)', lines? (\d+)/;

/** Reads the output of `icinga2 object list`. Fails with the file, where known the line, and the reason. */
export async function readIcingaObjectList(file: string): Promise<Result<IcingaObjects, string>> {
  const text = await readTextFile(file);
  if (!text.ok) return fail(`${file}: cannot be read: ${describeFileError(text.error)}`);
  const list = new ObjectList(file);
  for (const line of stripVTControlCharacters(text.value).split(/\r?\n/)) {
    const refused = list.add(line);
    if (refused !== undefined) return fail(refused);
  }
  if (list.objects.length === 0) return fail(`${file}:1: has no object: it must be the output of icinga2 object list`);
  return ok({ objects: list.objects, pluginFolder: undefined, library: templateLibrary });
}

type Open = { readonly indent: number; readonly dictionary: IcingaDictionary };

class ObjectList {
  readonly objects: IcingaObject[] = [];
  readonly #file: string;
  #line = 0;
  /** True within a text that has line breaks. */
  #isOpenText = false;
  #open: Open[] = [];
  /** Attribute that was read last, whose text may go on or whose place may follow. */
  #last: { readonly dictionary: IcingaDictionary; readonly key: string; text: string } | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Reads a line; the result is the refusal, if any. */
  add(line: string): string | undefined {
    this.#line += 1;
    const [, name, type] = header.exec(line) ?? [];
    if (name !== undefined && type !== undefined) {
      this.#begin(name, type);
      return undefined;
    }
    const object = this.objects.at(-1);
    if (object === undefined)
      return line.trim() === "" ? undefined : `${this.#file}:${this.#line}: expected "Object 'NAME' of type 'TYPE':"`;
    if (this.#isOpenText) this.#continue(line);
    else if (!this.#addPlace(line)) this.#addAttribute(line);
    return this.#open.length > maxNesting
      ? `${this.#file}:${this.#line}: nested more than ${maxNesting} levels deep`
      : undefined;
  }

  #begin(name: string, type: string): void {
    const source = { file: this.#file, line: this.#line };
    const attributes = new IcingaDictionary();
    this.objects.push({ type, name, source, attributes });
    this.#open = [{ indent: 2, dictionary: attributes }];
    this.#last = undefined;
    this.#isOpenText = false;
  }

  #addPlace(line: string): boolean {
    const [, file, number] = declared.exec(line) ?? [];
    const object = this.objects.at(-1);
    if (file !== undefined && object !== undefined) {
      this.objects[this.objects.length - 1] = { ...object, source: { file, line: Number(number) } };
      return true;
    }
    const [, changedIn, at] = modified.exec(line) ?? [];
    if (changedIn === undefined || this.#last === undefined) return line.trimStart().startsWith("%");
    const source: SourceLine = { file: changedIn, line: Number(at) };
    const { dictionary, key } = this.#last;
    dictionary.set(key, dictionary.get(key), source);
    return true;
  }

  #addAttribute(line: string): void {
    const [, spaces, key, text] = attribute.exec(line) ?? [];
    if (spaces === undefined || key === undefined) return;
    while (this.#open.length > 1 && (this.#open.at(-1)?.indent ?? 0) > spaces.length) this.#open.pop();
    const dictionary = this.#open.at(-1)?.dictionary ?? new IcingaDictionary();
    this.#last = { dictionary, key: key.trimEnd(), text: text ?? "" };
    if (text === undefined) {
      const inner = new IcingaDictionary();
      dictionary.set(key.trimEnd(), inner);
      this.#open.push({ indent: spaces.length + 2, dictionary: inner });
    } else dictionary.set(key.trimEnd(), listedValue(text));
    this.#isOpenText = text?.startsWith('"') === true && (text.length === 1 || !text.endsWith('"'));
  }

  #continue(line: string): void {
    if (this.#last === undefined) return;
    this.#last.text += `\n${line}`;
    this.#isOpenText = !line.endsWith('"');
    if (!this.#isOpenText) this.#last.dictionary.set(this.#last.key, listedValue(this.#last.text));
  }
}

/** Value as the list prints it; texts are not escaped there. */
function listedValue(text: string): IcingaValue {
  if (text.length > maxValueLength) return new IcingaUnknown(`it has more than ${maxValueLength} characters`);
  if (text.startsWith('"')) return text.endsWith('"') && text.length > 1 ? text.slice(1, -1) : text.slice(1);
  if (text.startsWith("[")) return arrayOf(text.slice(1, -1).trim());
  if (text === "true" || text === "false") return text === "true";
  if (text === "null" || text === "") return null;
  if (text.startsWith("{")) return new IcingaDictionary();
  const number = Number(text);
  return Number.isNaN(number) ? new IcingaUnknown("a function computes it at run time") : number;
}

function arrayOf(text: string): readonly IcingaValue[] {
  const items: IcingaValue[] = [];
  for (const [item] of text.matchAll(/"(?:[^"]|"(?!\s*(?:,|$)))*"|[^\s,]+/g)) items.push(listedValue(item));
  return items;
}
