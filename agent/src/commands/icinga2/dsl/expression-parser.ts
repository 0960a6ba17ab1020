import type { SourceLine } from "../../import/import-report.ts";
import type { IcingaExpression, IcingaStatement } from "./syntax.ts";
import type { TokenCursor } from "./token-cursor.ts";

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

/** Parses expressions at a cursor. A dictionary has statements, which `block` parses. */
export class ExpressionParser {
  readonly #cursor: TokenCursor;
  readonly #block: () => readonly IcingaStatement[];

  constructor(cursor: TokenCursor, block: () => readonly IcingaStatement[]) {
    this.#cursor = cursor;
    this.#block = block;
  }

  /** Parses the expression at the cursor. Throws IcingaSourceError. */
  expression(): IcingaExpression {
    return this.#cursor.nested(() => this.#choice());
  }

  #choice(): IcingaExpression {
    const source = this.#cursor.source();
    const condition = this.#binary(0);
    if (!this.#cursor.isSymbol("?")) return condition;
    this.#cursor.at += 1;
    const then = this.expression();
    this.#cursor.expect(":");
    return { kind: "choice", condition, parts: [then, this.expression()], source };
  }

  #binary(level: number): IcingaExpression {
    const operators = levels[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const back = this.#cursor.at;
      // A line may begin with the operator that goes on from the line before.
      if (level < 2) this.#cursor.skipNewlines();
      const { text, kind } = this.#cursor.peek();
      if (!operators.includes(text) || (kind !== "symbol" && kind !== "identifier")) {
        this.#cursor.at = back;
        return left;
      }
      const source = this.#cursor.source();
      this.#cursor.at += 1;
      this.#cursor.skipNewlines();
      left = { kind: "binary", operator: text, left, right: this.#binary(level + 1), source };
    }
  }

  #unary(): IcingaExpression {
    const source = this.#cursor.source();
    const { kind, text } = this.#cursor.peek();
    if (kind === "symbol" && ["!", "-", "+", "~", "&", "*"].includes(text)) {
      this.#cursor.at += 1;
      return { kind: "unary", operator: text, operand: this.#cursor.nested(() => this.#unary()), source };
    }
    return this.#postfix(this.#primary());
  }

  #postfix(begin: IcingaExpression): IcingaExpression {
    let expression = begin;
    for (;;) {
      const source = this.#cursor.source();
      if (this.#cursor.isSymbol(".")) {
        this.#cursor.at += 1;
        const key: IcingaExpression = { kind: "literal", value: this.#cursor.identifier(), source };
        expression = { kind: "index", object: expression, key, source };
      } else if (this.#cursor.isSymbol("[")) {
        this.#cursor.at += 1;
        const key = this.expression();
        this.#cursor.expect("]");
        expression = { kind: "index", object: expression, key, source };
      } else if (this.#cursor.isSymbol("(")) {
        this.#cursor.at += 1;
        expression = { kind: "call", callee: expression, args: this.#list(")"), source };
      } else if (this.#cursor.isSymbol("=>")) {
        this.#cursor.at += 1;
        if (this.#cursor.isSymbol("{")) this.#cursor.skipBrackets();
        else this.expression();
        expression = { kind: "lazy", source };
      } else return expression;
    }
  }

  #primary(): IcingaExpression {
    const source = this.#cursor.source();
    const token = this.#cursor.peek();
    this.#cursor.at += 1;
    if (token.kind === "string") return { kind: "literal", value: token.text, source };
    if (token.kind === "number") return { kind: "literal", value: token.number, source };
    if (token.kind === "lazy") return { kind: "lazy", source };
    if (token.kind === "identifier") return this.#named(token.text, source);
    const symbol = token.kind === "symbol" ? token.text : "";
    if (symbol === "[") return { kind: "array", items: this.#list("]"), source };
    if (symbol === "(") return this.#parenthesis(source);
    this.#cursor.at -= 1;
    if (symbol === "{") return { kind: "dictionary", body: this.#block(), source };
    throw this.#cursor.unexpected("a value");
  }

  #named(name: string, source: SourceLine): IcingaExpression {
    if (name === "true" || name === "false") return { kind: "literal", value: name === "true", source };
    if (name === "null") return { kind: "literal", value: null, source };
    if (name !== "function") return { kind: "name", name, source };
    while (!this.#cursor.isSymbol("{"))
      if (this.#cursor.isSymbol("(")) this.#cursor.skipBrackets();
      else if (this.#cursor.peek().kind === "end") throw this.#cursor.unexpected("the body of the function");
      else this.#cursor.at += 1;
    this.#cursor.skipBrackets();
    return { kind: "lazy", source };
  }

  /** Expression in parentheses, or the arguments of a function. */
  #parenthesis(source: SourceLine): IcingaExpression {
    const back = this.#cursor.at - 1;
    this.#cursor.at = back;
    this.#cursor.skipBrackets();
    if (this.#cursor.isSymbol("=>")) return { kind: "lazy", source };
    this.#cursor.at = back + 1;
    const expression = this.expression();
    this.#cursor.expect(")");
    return expression;
  }

  #list(end: string): readonly IcingaExpression[] {
    const items: IcingaExpression[] = [];
    this.#cursor.skipNewlines();
    while (!this.#cursor.isSymbol(end)) {
      items.push(this.expression());
      this.#cursor.skipNewlines();
      if (!this.#cursor.isSymbol(end)) this.#cursor.expect(",");
      this.#cursor.skipNewlines();
    }
    this.#cursor.at += 1;
    return items;
  }
}
