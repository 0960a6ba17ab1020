/** Quoting context in a shell line. `code` is the top level; `(`, `$(` and backquotes also contain code. */
type QuotingContext = "code" | "parenthesis" | "backquote" | "double" | "single";

/** Tracks the quoting context of a shell line while it is assembled. */
export class ShellQuoting {
  readonly #contexts: QuotingContext[] = ["code"];
  #escaped = false;
  #afterDollar = false;

  /** Advances over `code`, the next piece of the line. */
  read(code: string): void {
    for (const character of code) this.#readOne(character);
  }

  /** Formats a reference to a variable so that its unmodified value becomes part of one word in the current context. */
  reference(name: string): string {
    switch (this.#contexts.at(-1)) {
      case "single":
        return `'"\${${name}}"'`;
      case "double":
        return `\${${name}}`;
      default:
        return `"\${${name}}"`;
    }
  }

  #readOne(character: string): void {
    const context = this.#contexts.at(-1);
    const afterDollar = this.#afterDollar;
    this.#afterDollar = character === "$";
    if (context === "single") {
      if (character === "'") this.#contexts.pop();
    } else if (this.#escaped) this.#escaped = false;
    else if (character === "\\") this.#escaped = true;
    else if (character === '"') this.#toggle("double");
    else if (character === "`") this.#toggle("backquote");
    else if (character === "(" && (context !== "double" || afterDollar)) this.#contexts.push("parenthesis");
    else if (character === ")" && context === "parenthesis") this.#contexts.pop();
    else if (character === "'" && context !== "double") this.#contexts.push("single");
  }

  #toggle(quote: "double" | "backquote"): void {
    if (this.#contexts.at(-1) === quote) this.#contexts.pop();
    else this.#contexts.push(quote);
  }
}
