/** What stands around a place of a shell line. `code` is the line itself and what is inside `(`, `$(` and back-quotes. */
type Around = "code" | "parenthesis" | "backquote" | "double" | "single";

/** Follows the quoting of a shell line as it is written, piece by piece. */
export class ShellQuoting {
  readonly #around: Around[] = ["code"];
  #escaped = false;
  #afterDollar = false;

  /** Reads on over `code`, the next piece of the line. */
  read(code: string): void {
    for (const character of code) this.#readOne(character);
  }

  /** A reference to the variable `name` that yields its value, and nothing but its value, as part of one word. */
  reference(name: string): string {
    switch (this.#around.at(-1)) {
      case "single":
        return `'"\${${name}}"'`;
      case "double":
        return `\${${name}}`;
      default:
        return `"\${${name}}"`;
    }
  }

  #readOne(character: string): void {
    const around = this.#around.at(-1);
    const afterDollar = this.#afterDollar;
    this.#afterDollar = character === "$";
    if (around === "single") {
      if (character === "'") this.#around.pop();
    } else if (this.#escaped) this.#escaped = false;
    else if (character === "\\") this.#escaped = true;
    else if (character === '"') this.#toggle("double");
    else if (character === "`") this.#toggle("backquote");
    else if (character === "(" && (around !== "double" || afterDollar)) this.#around.push("parenthesis");
    else if (character === ")" && around === "parenthesis") this.#around.pop();
    else if (character === "'" && around !== "double") this.#around.push("single");
  }

  #toggle(quote: "double" | "backquote"): void {
    if (this.#around.at(-1) === quote) this.#around.pop();
    else this.#around.push(quote);
  }
}
