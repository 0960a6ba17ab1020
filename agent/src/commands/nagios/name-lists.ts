import { linearExpression } from "../import/linear-expression.ts";
import { splitList } from "./resolve-templates.ts";

/** Parts of lists that are regular expressions: none, those with `*`, `?`, `+` or `\.`, or all. */
export type ExpressionUse = "none" | "marked" | "all";

/** Names that a list selects, and those that it excludes with `!`. */
export type NameSelection = { readonly selected: ReadonlySet<string>; readonly excluded: ReadonlySet<string> };

/** Reads lists of names as Nagios does: names, `*`, regular expressions where they are used, and exclusions. */
export class NameLists {
  readonly #use: ExpressionUse;
  readonly #onRefused: (pattern: string) => void;
  readonly #expressions = new Map<string, RegExp | undefined>();

  /** @param onRefused called once for each expression that is not valid or takes more than linear time */
  constructor(use: ExpressionUse, onRefused: (pattern: string) => void) {
    this.#use = use;
    this.#onRefused = onRefused;
  }

  select(list: string | undefined, known: readonly string[]): NameSelection {
    const [selected, excluded] = [new Set<string>(), new Set<string>()];
    for (const part of splitList(list)) {
      const isExcluded = part.startsWith("!");
      for (const name of this.matching(isExcluded ? part.slice(1).trim() : part, known))
        (isExcluded ? excluded : selected).add(name);
    }
    return { selected: selected.difference(excluded), excluded };
  }

  /** Names that one part of a list stands for. A plain name stands for itself, known or not. */
  matching(part: string, known: readonly string[]): readonly string[] {
    if (!this.isPattern(part)) return [part];
    if (part === "*") return known;
    const expression = this.#expressionOf(part);
    return expression === undefined ? [] : known.filter((name) => expression.test(name));
  }

  isPattern(part: string): boolean {
    if (part === "*" || this.#use === "all") return true;
    return this.#use === "marked" && /[*?+]|\\\./.test(part);
  }

  #expressionOf(pattern: string): RegExp | undefined {
    if (!this.#expressions.has(pattern)) {
      const expression = linearExpression(fromPosix(pattern));
      this.#expressions.set(pattern, expression);
      if (expression === undefined) this.#onRefused(pattern);
    }
    return this.#expressions.get(pattern);
  }
}

const posixClasses: Readonly<Record<string, string>> = {
  ...{ alpha: "A-Za-z", digit: "0-9", alnum: "A-Za-z0-9", upper: "A-Z", lower: "a-z" },
  ...{ space: "\\s", blank: " \\t", punct: "!-\\/:-@\\[-`{-~", xdigit: "0-9A-Fa-f" },
};

/** Extended POSIX expression in the syntax of JavaScript. In POSIX a repetition without an operand is ignored. */
const fromPosix = (pattern: string): string =>
  pattern
    .replace(/^[*?+]+/, "")
    .replaceAll(/([(|])[*?+]+/g, "$1")
    .replaceAll(/\[:(\w+):\]/g, (whole, name: string) => posixClasses[name] ?? whole);
