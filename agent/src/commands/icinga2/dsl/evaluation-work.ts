import { type ImportLimits, maxNesting, maxValueLength } from "../../import/import-limits.ts";
import type { SourceLine } from "../../import/import-report.ts";
import { IcingaLimitError, IcingaSourceError } from "./syntax.ts";
import { IcingaDictionary, type IcingaValue, isIcingaList } from "./values.ts";

/** Maximum depth of an expression: operators one after the other are deep too, because each has its left side within. */
const maxExpressionDepth = 500;

/** [IM18] Counts the work of an evaluation, and ends it where the sources need more than the limits allow. */
export class EvaluationWork {
  readonly #limits: ImportLimits;
  #blocks = 0;
  #expressions = 0;
  #steps = 0;

  constructor(limits: ImportLimits) {
    this.#limits = limits;
  }

  /** Runs a block of statements. Throws IcingaSourceError when it is nested too deeply. */
  block(source: SourceLine, run: () => void): void {
    if (this.#blocks === maxNesting)
      throw new IcingaSourceError(
        source,
        `a template imports itself, or templates and blocks are nested more than ${maxNesting} levels deep`,
      );
    this.#blocks += 1;
    try {
      run();
    } finally {
      this.#blocks -= 1;
    }
  }

  /** Evaluates an expression. Throws IcingaSourceError when it is nested too deeply. */
  expression(source: SourceLine, evaluate: () => IcingaValue): IcingaValue {
    if (this.#expressions === maxExpressionDepth)
      throw new IcingaSourceError(source, `the expression has more than ${maxExpressionDepth} operators`);
    this.#expressions += 1;
    try {
      this.spend(1, source);
      return evaluate();
    } finally {
      this.#expressions -= 1;
    }
  }

  /** Begins to count anew, so that objects are made of what was read before a limit was reached. */
  restartCount(): void {
    this.#steps = 0;
  }

  /** Counts steps of work. Throws IcingaLimitError beyond the maximum. */
  spend(steps: number, source: SourceLine): void {
    this.#steps += steps;
    if (this.#steps > this.#limits.steps)
      throw new IcingaLimitError(source, `evaluated more than ${this.#limits.steps} steps: the rest is left out`);
  }

  /** Counts the work of a call: a function such as match() may compare each character of a value with each of another. */
  spendCall(values: readonly IcingaValue[], source: SourceLine): void {
    this.spend(
      values.reduce<number>((product, value) => product * (1 + lengthOf(value) / 8), 1),
      source,
    );
  }

  /** Counts the work of a value that is new. Throws IcingaSourceError when it is too large. */
  made(value: IcingaValue, source: SourceLine): IcingaValue {
    const length = lengthOf(value);
    if (length > maxValueLength)
      throw new IcingaSourceError(source, `the value has more than ${maxValueLength} characters or elements`);
    this.spend(length / 8, source);
    return value;
  }

  /** Copy of variables: those that a block sets are not visible outside of it. */
  nested(locals: IcingaDictionary, source: SourceLine): IcingaDictionary {
    this.spend(locals.size, source);
    return new IcingaDictionary().assign(locals);
  }
}

/** Number of characters, with those of the texts in an array, or of entries. */
function lengthOf(value: IcingaValue): number {
  if (typeof value === "string") return value.length;
  if (value instanceof IcingaDictionary) return value.size;
  return isIcingaList(value) ? value.reduce<number>((sum, each) => sum + 1 + lengthOfText(each), 0) : 0;
}

const lengthOfText = (value: IcingaValue): number => (typeof value === "string" ? value.length : 0);
