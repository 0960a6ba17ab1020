import { IcingaSourceError } from "./syntax.ts";

/** Token of the configuration language. `newline` separates statements; there is none within parentheses. */
export type IcingaToken = {
  readonly kind: "identifier" | "string" | "number" | "symbol" | "lazy" | "system" | "newline" | "end";
  readonly text: string;
  /** Value of a number; durations are in seconds. */
  readonly number: number;
  readonly line: number;
};

const secondsByUnit: Readonly<Record<string, number>> = { "": 1, ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

const space = /[ \t\r]+/y;
const lineComment = /(?:\/\/|#)[^\n]*/y;
const identifier = /@?[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(\d+(?:\.\d+)?)(ms|[smhd])?(?![A-Za-z0-9_])/y;
const system = /<([^>\n]*)>/y;
const symbol = /!in\b|<<|>>|=>|==|!=|<=|>=|&&|\|\||\+=|-=|\*=|\/=|%=|\^=|&=|\|=|[-+*/%=<>!~&|^?:.,;(){}[\]]/y;

/** Splits a text into tokens. Throws IcingaSourceError. */
export function tokenizeIcinga(file: string, text: string): readonly IcingaToken[] {
  return new Tokenizer(file, text).read();
}

class Tokenizer {
  readonly #file: string;
  readonly #text: string;
  readonly #tokens: IcingaToken[] = [];
  /** Brackets that are open: a newline within parentheses or an array separates nothing. */
  readonly #open: string[] = [];
  #at = 0;
  #line = 1;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  read(): readonly IcingaToken[] {
    while (this.#at < this.#text.length) this.#next();
    this.#add("newline", "");
    this.#add("end", "");
    return this.#tokens;
  }

  #next(): void {
    const { text } = { text: this.#text };
    if (text[this.#at] === "\n") {
      if (!["(", "["].includes(this.#open.at(-1) ?? "")) this.#add("newline", "\n");
      this.#advance(1);
    } else if (this.#take(space) !== undefined || this.#take(lineComment) !== undefined) return;
    else if (text.startsWith("/*", this.#at)) this.#advance(this.#lengthTo("*/", "comment"));
    else if (text.startsWith("{{{", this.#at)) {
      const length = this.#lengthTo("}}}", "text");
      this.#add("string", text.slice(this.#at + 3, this.#at + length - 3));
      this.#advance(length);
    } else if (text.startsWith("{{", this.#at)) {
      this.#add("lazy", "{{");
      this.#advance(this.#lengthTo("}}", "function"));
    } else if (text[this.#at] === '"') this.#addString();
    else if (!this.#addWord()) throw this.#error("unexpected character");
  }

  #addWord(): boolean {
    const digits = this.#take(number);
    if (digits !== undefined) {
      const [written, value = "", unit = ""] = digits;
      this.#add("number", written, Number(value) * (secondsByUnit[unit] ?? 1));
      return true;
    }
    const name = this.#take(identifier)?.[0];
    if (name !== undefined) {
      this.#add("identifier", name.replace("@", ""));
      if (name.startsWith("include")) {
        this.#take(space);
        const path = this.#take(system)?.[1];
        if (path !== undefined) this.#add("system", path);
      }
      return true;
    }
    const sign = this.#take(symbol)?.[0];
    if (sign === undefined) return false;
    if (["(", "[", "{"].includes(sign)) this.#open.push(sign);
    if ([")", "]", "}"].includes(sign)) this.#open.pop();
    this.#add("symbol", sign);
    return true;
  }

  #addString(): void {
    const { line } = { line: this.#line };
    let value = "";
    let at = this.#at + 1;
    for (; this.#text[at] !== '"'; at += 1) {
      const character = this.#text[at];
      if (character === undefined || character === "\n") throw this.#error("the string has no closing quote");
      if (character !== "\\") value += character;
      else {
        at += 1;
        const escaped = this.#text[at] ?? "";
        value += escapes[escaped] ?? escaped;
      }
    }
    this.#advance(at + 1 - this.#at);
    this.#tokens.push({ kind: "string", text: value, number: 0, line });
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#advance(match[0].length);
    return match;
  }

  /** Length of the text from here to an end mark, which is included. */
  #lengthTo(end: string, what: string): number {
    const found = this.#text.indexOf(end, this.#at + end.length);
    if (found < 0) throw this.#error(`the ${what} has no closing ${end}`);
    return found + end.length - this.#at;
  }

  #advance(length: number): void {
    for (let at = this.#at; at < this.#at + length; at += 1) if (this.#text[at] === "\n") this.#line += 1;
    this.#at += length;
  }

  #add(kind: IcingaToken["kind"], text: string, value = 0): void {
    this.#tokens.push({ kind, text, number: value, line: this.#line });
  }

  #error(message: string): IcingaSourceError {
    return new IcingaSourceError({ file: this.#file, line: this.#line }, message);
  }
}
