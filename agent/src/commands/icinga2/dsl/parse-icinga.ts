import type { NagiosSource } from "../../nagios/source-objects.ts";
import {
  type IcingaDeclaration,
  type IcingaExpression,
  type IcingaLoop,
  IcingaSourceError,
  type IcingaStatement,
} from "./syntax.ts";
import { type IcingaToken, tokenizeIcinga } from "./tokens.ts";

/** Parses the text of a file. Throws IcingaSourceError. */
export function parseIcinga(file: string, text: string): readonly IcingaStatement[] {
  return new Parser(file, tokenizeIcinga(file, text)).file();
}

/** Operators of two operands, those that bind least first. */
const levels: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["in", "!in"],
  ["<", ">", "<=", ">="],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
];
const assignments = ["=", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|="];
/** Words that begin a statement which has no counterpart in a document. */
const unsupportedWords = [
  "function",
  "while",
  "library",
  "throw",
  "return",
  "using",
  "namespace",
  "try",
  "break",
  "continue",
];

class Parser {
  readonly #file: string;
  readonly #tokens: readonly IcingaToken[];
  #at = 0;

  constructor(file: string, tokens: readonly IcingaToken[]) {
    this.#file = file;
    this.#tokens = tokens;
  }

  file(): readonly IcingaStatement[] {
    const statements = this.#statements();
    if (this.#peek().kind !== "end") throw this.#unexpected("a statement");
    return statements;
  }

  #statements(): readonly IcingaStatement[] {
    const statements: IcingaStatement[] = [];
    for (;;) {
      while (this.#peek().kind === "newline" || this.#isSymbol(";") || this.#isSymbol(",")) this.#at += 1;
      if (this.#peek().kind === "end" || this.#isSymbol("}")) return statements;
      statements.push(this.#statement());
      const next = this.#peek();
      const ends =
        next.kind === "newline" || next.kind === "end" || [";", ",", "}"].some((each) => this.#isSymbol(each));
      if (!ends && this.#tokens[this.#at - 1]?.text !== "}") throw this.#unexpected("the end of the statement");
    }
  }

  #block(): readonly IcingaStatement[] {
    this.#skipNewlines();
    const begin = this.#source();
    this.#expect("{");
    const body = this.#statements();
    if (this.#peek().kind === "end") throw new IcingaSourceError(begin, "the block has no closing brace");
    this.#expect("}");
    return body;
  }

  #statement(): IcingaStatement {
    const source = this.#source();
    const token = this.#peek();
    if (token.kind !== "identifier") return this.#assignment(source);
    const next = this.#tokens[this.#at + 1];
    const isWord = !(next?.kind === "symbol" && [...assignments, ".", "["].includes(next.text));
    if (!isWord) return this.#assignment(source);
    switch (token.text) {
      case "object":
      case "template":
      case "apply":
        this.#at += 1;
        return this.#declaration(token.text, source);
      case "import":
        this.#at += 1;
        return { kind: "import", name: this.#expression(), source };
      case "assign":
      case "ignore":
        this.#at += 1;
        this.#expectWord("where");
        return { kind: "where", ignores: token.text === "ignore", filter: this.#expression(), source };
      case "var":
        this.#at += 1;
        return { kind: "local", name: this.#identifier(), value: this.#initial(), source };
      case "const": {
        this.#at += 1;
        const name = this.#identifier();
        this.#expect("=");
        return { kind: "constant", name, value: this.#expression(), source };
      }
      case "if":
        return this.#if(source);
      case "for": {
        this.#at += 1;
        return { kind: "for", loop: this.#loop(), body: this.#block(), source };
      }
      case "include":
      case "include_recursive":
      case "include_zones":
        return this.#include(token.text, source);
      default:
        if (!unsupportedWords.includes(token.text)) return this.#assignment(source);
        return this.#skipStatement(token.text, source);
    }
  }

  #initial(): IcingaExpression | undefined {
    if (!this.#isSymbol("=")) return undefined;
    this.#at += 1;
    return this.#expression();
  }

  #if(source: NagiosSource): IcingaStatement {
    this.#at += 1;
    this.#expect("(");
    const condition = this.#expression();
    this.#expect(")");
    const body = this.#block();
    const back = this.#at;
    this.#skipNewlines();
    if (!this.#isWord("else")) {
      this.#at = back;
      return { kind: "if", condition, body, otherwise: [], source };
    }
    this.#at += 1;
    const otherwise = this.#isWord("if") ? [this.#if(this.#source())] : this.#block();
    return { kind: "if", condition, body, otherwise, source };
  }

  #loop(): IcingaLoop {
    this.#expect("(");
    const first = this.#identifierOfLoop();
    const second = this.#isSymbol("=>") ? this.#secondOfLoop() : undefined;
    this.#expectWord("in");
    const over = this.#expression();
    this.#expect(")");
    return second === undefined ? { value: first, over } : { key: first, value: second, over };
  }

  #identifierOfLoop(): string {
    if (this.#isWord("var")) this.#at += 1;
    return this.#identifier();
  }

  #secondOfLoop(): string {
    this.#expect("=>");
    return this.#identifierOfLoop();
  }

  #include(how: "include" | "include_recursive" | "include_zones", source: NagiosSource): IcingaStatement {
    this.#at += 1;
    if (this.#peek().kind === "system") {
      this.#at += 1;
      return { kind: "include", how, isBuiltIn: true, args: [], source };
    }
    const args = [this.#expression()];
    while (this.#isSymbol(",")) {
      this.#at += 1;
      args.push(this.#expression());
    }
    return { kind: "include", how, isBuiltIn: false, args, source };
  }

  #declaration(kind: "object" | "template" | "apply", source: NagiosSource): IcingaDeclaration {
    const type = this.#identifier();
    const isNamed = !this.#isSymbol("{") && !["for", "to", "use"].some((word) => this.#isWord(word));
    const name = isNamed ? this.#expression() : undefined;
    let [loop, target, isDefault]: [IcingaLoop | undefined, string | undefined, boolean] = [
      undefined,
      undefined,
      false,
    ];
    while (!this.#isSymbol("{")) {
      this.#skipNewlines();
      const word = this.#isSymbol("{") ? "" : this.#identifier();
      if (word === "for") loop = this.#loop();
      else if (word === "to") target = this.#identifier();
      else if (word === "use") this.#skipBrackets();
      else if (word === "default") isDefault = true;
      else if (word !== "" && word !== "ignore_on_error") throw this.#unexpected("a block");
    }
    const body = this.#block();
    return {
      ...{ kind, type, name, isDefault, body, source },
      ...(loop === undefined ? {} : { loop }),
      ...(target === undefined ? {} : { target }),
    };
  }

  #assignment(source: NagiosSource): IcingaStatement {
    const target = this.#expression();
    const operator = this.#peek();
    if (operator.kind !== "symbol" || !assignments.includes(operator.text))
      return { kind: "expression", expression: target, source };
    this.#at += 1;
    this.#skipNewlines();
    return { kind: "assign", target, operator: operator.text, value: this.#expression(), source };
  }

  /** Skips a statement that cannot be carried over, with its brackets. */
  #skipStatement(statement: string, source: NagiosSource): IcingaStatement {
    while (
      this.#peek().kind !== "newline" &&
      this.#peek().kind !== "end" &&
      !this.#isSymbol("}") &&
      !this.#isSymbol(";")
    )
      if (["(", "{", "["].some((each) => this.#isSymbol(each))) this.#skipBrackets();
      else this.#at += 1;
    return { kind: "unsupported", statement, source };
  }

  #skipBrackets(): void {
    const begin = this.#source();
    let depth = 0;
    do {
      const { kind, text } = this.#peek();
      if (kind === "end") throw new IcingaSourceError(begin, "the bracket is not closed");
      if (kind === "symbol" && ["(", "{", "["].includes(text)) depth += 1;
      if (kind === "symbol" && [")", "}", "]"].includes(text)) depth -= 1;
      this.#at += 1;
    } while (depth > 0);
  }

  #expression(): IcingaExpression {
    const source = this.#source();
    const condition = this.#binary(0);
    if (!this.#isSymbol("?")) return condition;
    this.#at += 1;
    const then = this.#expression();
    this.#expect(":");
    return { kind: "choice", condition, parts: [then, this.#expression()], source };
  }

  #binary(level: number): IcingaExpression {
    const operators = levels[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const back = this.#at;
      // A line may begin with the operator that goes on from the line before.
      if (level < 2) this.#skipNewlines();
      const { text, kind } = this.#peek();
      if (!operators.includes(text) || (kind !== "symbol" && kind !== "identifier")) {
        this.#at = back;
        return left;
      }
      const source = this.#source();
      this.#at += 1;
      this.#skipNewlines();
      left = { kind: "binary", operator: text, left, right: this.#binary(level + 1), source };
    }
  }

  #unary(): IcingaExpression {
    const source = this.#source();
    const { kind, text } = this.#peek();
    if (kind === "symbol" && ["!", "-", "+", "~", "&", "*"].includes(text)) {
      this.#at += 1;
      return { kind: "unary", operator: text, operand: this.#unary(), source };
    }
    return this.#postfix(this.#primary());
  }

  #postfix(begin: IcingaExpression): IcingaExpression {
    let expression = begin;
    for (;;) {
      const source = this.#source();
      if (this.#isSymbol(".")) {
        this.#at += 1;
        const key: IcingaExpression = { kind: "literal", value: this.#identifier(), source };
        expression = { kind: "index", object: expression, key, source };
      } else if (this.#isSymbol("[")) {
        this.#at += 1;
        const key = this.#expression();
        this.#expect("]");
        expression = { kind: "index", object: expression, key, source };
      } else if (this.#isSymbol("(")) {
        this.#at += 1;
        expression = { kind: "call", callee: expression, args: this.#list(")"), source };
      } else if (this.#isSymbol("=>")) {
        this.#at += 1;
        if (this.#isSymbol("{")) this.#skipBrackets();
        else this.#expression();
        expression = { kind: "lazy", source };
      } else return expression;
    }
  }

  #primary(): IcingaExpression {
    const source = this.#source();
    const token = this.#peek();
    this.#at += 1;
    switch (token.kind) {
      case "string":
        return { kind: "literal", value: token.text, source };
      case "number":
        return { kind: "literal", value: token.number, source };
      case "lazy":
        return { kind: "lazy", source };
      case "identifier":
        return this.#named(token.text, source);
      case "symbol":
        if (token.text === "[") return { kind: "array", items: this.#list("]"), source };
        if (token.text === "(") return this.#parenthesis(source);
        if (token.text === "{") {
          this.#at -= 1;
          return { kind: "dictionary", body: this.#block(), source };
        }
    }
    this.#at -= 1;
    throw this.#unexpected("a value");
  }

  #named(name: string, source: NagiosSource): IcingaExpression {
    if (name === "true" || name === "false") return { kind: "literal", value: name === "true", source };
    if (name === "null") return { kind: "literal", value: null, source };
    if (name !== "function") return { kind: "name", name, source };
    while (!this.#isSymbol("{"))
      if (this.#isSymbol("(")) this.#skipBrackets();
      else if (this.#peek().kind === "end") throw this.#unexpected("the body of the function");
      else this.#at += 1;
    this.#skipBrackets();
    return { kind: "lazy", source };
  }

  /** Expression in parentheses, or the arguments of a function. */
  #parenthesis(source: NagiosSource): IcingaExpression {
    const back = this.#at - 1;
    this.#at = back;
    this.#skipBrackets();
    if (this.#isSymbol("=>")) return { kind: "lazy", source };
    this.#at = back + 1;
    const expression = this.#expression();
    this.#expect(")");
    return expression;
  }

  #list(end: string): readonly IcingaExpression[] {
    const items: IcingaExpression[] = [];
    this.#skipNewlines();
    while (!this.#isSymbol(end)) {
      items.push(this.#expression());
      this.#skipNewlines();
      if (!this.#isSymbol(end)) this.#expect(",");
      this.#skipNewlines();
    }
    this.#at += 1;
    return items;
  }

  #skipNewlines(): void {
    while (this.#peek().kind === "newline") this.#at += 1;
  }

  #peek(): IcingaToken {
    return this.#tokens[Math.min(this.#at, this.#tokens.length - 1)] as IcingaToken;
  }

  #source(): NagiosSource {
    return { file: this.#file, line: this.#peek().line };
  }

  #isSymbol(text: string): boolean {
    const token = this.#peek();
    return token.kind === "symbol" && token.text === text;
  }

  #isWord(text: string): boolean {
    const token = this.#peek();
    return token.kind === "identifier" && token.text === text;
  }

  #identifier(): string {
    const token = this.#peek();
    if (token.kind !== "identifier") throw this.#unexpected("a name");
    this.#at += 1;
    return token.text;
  }

  #expect(text: string): void {
    if (!this.#isSymbol(text)) throw this.#unexpected(JSON.stringify(text));
    this.#at += 1;
  }

  #expectWord(text: string): void {
    if (!this.#isWord(text)) throw this.#unexpected(JSON.stringify(text));
    this.#at += 1;
  }

  #unexpected(expected: string): IcingaSourceError {
    const { kind, text } = this.#peek();
    const found = kind === "newline" ? "the end of the line" : kind === "end" ? text : JSON.stringify(text);
    return new IcingaSourceError(this.#source(), `expected ${expected}, found ${found}`);
  }
}
