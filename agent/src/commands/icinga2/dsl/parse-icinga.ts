import type { SourceLine } from "../../import/import-report.ts";
import { ExpressionParser } from "./expression-parser.ts";
import {
  type IcingaDeclaration,
  type IcingaExpression,
  type IcingaLoop,
  IcingaSourceError,
  type IcingaStatement,
} from "./syntax.ts";
import { TokenCursor } from "./token-cursor.ts";

/** Parses the text of a file. Throws IcingaSourceError. */
export function parseIcinga(file: string, text: string): readonly IcingaStatement[] {
  return new StatementParser(new TokenCursor(file, text)).file();
}

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

class StatementParser {
  readonly #cursor: TokenCursor;
  readonly #expressions: ExpressionParser;

  constructor(cursor: TokenCursor) {
    this.#cursor = cursor;
    this.#expressions = new ExpressionParser(cursor, () => this.#block());
  }

  /** Parses the whole file. */
  file(): readonly IcingaStatement[] {
    const statements = this.#statements();
    if (this.#cursor.peek().kind !== "end") throw this.#cursor.unexpected("a statement");
    return statements;
  }

  #statements(): readonly IcingaStatement[] {
    const statements: IcingaStatement[] = [];
    for (;;) {
      while (this.#cursor.peek().kind === "newline" || this.#cursor.isSymbol(";") || this.#cursor.isSymbol(","))
        this.#cursor.at += 1;
      if (this.#cursor.peek().kind === "end" || this.#cursor.isSymbol("}")) return statements;
      statements.push(this.#statement());
      const next = this.#cursor.peek();
      const ends =
        next.kind === "newline" || next.kind === "end" || [";", ",", "}"].some((each) => this.#cursor.isSymbol(each));
      if (!ends && this.#cursor.peek(-1).text !== "}") throw this.#cursor.unexpected("the end of the statement");
    }
  }

  #block(): readonly IcingaStatement[] {
    return this.#cursor.nested(() => this.#braces());
  }

  #braces(): readonly IcingaStatement[] {
    this.#cursor.skipNewlines();
    const begin = this.#cursor.source();
    this.#cursor.expect("{");
    const body = this.#statements();
    if (this.#cursor.peek().kind === "end") throw new IcingaSourceError(begin, "the block has no closing brace");
    this.#cursor.expect("}");
    return body;
  }

  #statement(): IcingaStatement {
    const source = this.#cursor.source();
    const token = this.#cursor.peek();
    if (token.kind !== "identifier") return this.#assignment(source);
    const next = this.#cursor.peek(1);
    const isWord = !(next.kind === "symbol" && [...assignments, ".", "["].includes(next.text));
    if (!isWord) return this.#assignment(source);
    switch (token.text) {
      case "object":
      case "template":
      case "apply":
        this.#cursor.at += 1;
        return this.#declaration(token.text, source);
      case "import":
        this.#cursor.at += 1;
        return { kind: "import", name: this.#expressions.expression(), source };
      case "assign":
      case "ignore":
        this.#cursor.at += 1;
        this.#cursor.expectWord("where");
        return { kind: "where", ignores: token.text === "ignore", filter: this.#expressions.expression(), source };
      case "var":
        this.#cursor.at += 1;
        return { kind: "local", name: this.#cursor.identifier(), value: this.#initial(), source };
      case "const": {
        this.#cursor.at += 1;
        const name = this.#cursor.identifier();
        this.#cursor.expect("=");
        return { kind: "constant", name, value: this.#expressions.expression(), source };
      }
      case "if":
        return this.#if(source);
      case "for": {
        this.#cursor.at += 1;
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
    if (!this.#cursor.isSymbol("=")) return undefined;
    this.#cursor.at += 1;
    return this.#expressions.expression();
  }

  #if(source: SourceLine): IcingaStatement {
    this.#cursor.at += 1;
    this.#cursor.expect("(");
    const condition = this.#expressions.expression();
    this.#cursor.expect(")");
    const body = this.#block();
    const back = this.#cursor.at;
    this.#cursor.skipNewlines();
    if (!this.#cursor.isWord("else")) {
      this.#cursor.at = back;
      return { kind: "if", condition, body, otherwise: [], source };
    }
    this.#cursor.at += 1;
    const otherwise = this.#cursor.isWord("if")
      ? [this.#cursor.nested(() => this.#if(this.#cursor.source()))]
      : this.#block();
    return { kind: "if", condition, body, otherwise, source };
  }

  #loop(): IcingaLoop {
    this.#cursor.expect("(");
    const first = this.#identifierOfLoop();
    const second = this.#cursor.isSymbol("=>") ? this.#secondOfLoop() : undefined;
    this.#cursor.expectWord("in");
    const over = this.#expressions.expression();
    this.#cursor.expect(")");
    return second === undefined ? { value: first, over } : { key: first, value: second, over };
  }

  #identifierOfLoop(): string {
    if (this.#cursor.isWord("var")) this.#cursor.at += 1;
    return this.#cursor.identifier();
  }

  #secondOfLoop(): string {
    this.#cursor.expect("=>");
    return this.#identifierOfLoop();
  }

  #include(how: "include" | "include_recursive" | "include_zones", source: SourceLine): IcingaStatement {
    this.#cursor.at += 1;
    const { kind, text } = this.#cursor.peek();
    if (kind === "system") {
      this.#cursor.at += 1;
      return { kind: "include", how, isBuiltIn: true, args: [{ kind: "literal", value: text, source }], source };
    }
    const args = [this.#expressions.expression()];
    while (this.#cursor.isSymbol(",")) {
      this.#cursor.at += 1;
      args.push(this.#expressions.expression());
    }
    return { kind: "include", how, isBuiltIn: false, args, source };
  }

  #declaration(kind: "object" | "template" | "apply", source: SourceLine): IcingaDeclaration {
    const type = this.#cursor.identifier();
    const isNamed = !this.#cursor.isSymbol("{") && !["for", "to", "use"].some((word) => this.#cursor.isWord(word));
    const name = isNamed ? this.#expressions.expression() : undefined;
    let [loop, target, isDefault]: [IcingaLoop | undefined, string | undefined, boolean] = [
      undefined,
      undefined,
      false,
    ];
    while (!this.#cursor.isSymbol("{")) {
      this.#cursor.skipNewlines();
      const word = this.#cursor.isSymbol("{") ? "" : this.#cursor.identifier();
      if (word === "for") loop = this.#loop();
      else if (word === "to") target = this.#cursor.identifier();
      else if (word === "use") this.#cursor.skipBrackets();
      else if (word === "default") isDefault = true;
      else if (word !== "" && word !== "ignore_on_error") throw this.#cursor.unexpected("a block");
    }
    const body = this.#block();
    return {
      ...{ kind, type, name, isDefault, body, source },
      ...(loop === undefined ? {} : { loop }),
      ...(target === undefined ? {} : { target }),
    };
  }

  #assignment(source: SourceLine): IcingaStatement {
    const target = this.#expressions.expression();
    const operator = this.#cursor.peek();
    if (operator.kind !== "symbol" || !assignments.includes(operator.text))
      return { kind: "expression", expression: target, source };
    this.#cursor.at += 1;
    this.#cursor.skipNewlines();
    return { kind: "assign", target, operator: operator.text, value: this.#expressions.expression(), source };
  }

  /** Skips a statement that cannot be carried over, with its brackets. */
  #skipStatement(statement: string, source: SourceLine): IcingaStatement {
    while (
      this.#cursor.peek().kind !== "newline" &&
      this.#cursor.peek().kind !== "end" &&
      !this.#cursor.isSymbol("}") &&
      !this.#cursor.isSymbol(";")
    )
      if (["(", "{", "["].some((each) => this.#cursor.isSymbol(each))) this.#cursor.skipBrackets();
      else this.#cursor.at += 1;
    return { kind: "unsupported", statement, source };
  }
}
