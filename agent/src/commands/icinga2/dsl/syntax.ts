import type { SourceLine, SourceProblem } from "../../import/import-report.ts";
import { IcingaValueError } from "./values.ts";

/** Expression of the configuration language. `lazy` is a function, which Icinga 2 calls at run time. */
export type IcingaExpression = { readonly source: SourceLine } & (
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "lazy" }
  | { readonly kind: "array"; readonly items: readonly IcingaExpression[] }
  | { readonly kind: "dictionary"; readonly body: readonly IcingaStatement[] }
  | { readonly kind: "index"; readonly object: IcingaExpression; readonly key: IcingaExpression }
  | { readonly kind: "call"; readonly callee: IcingaExpression; readonly args: readonly IcingaExpression[] }
  | { readonly kind: "unary"; readonly operator: string; readonly operand: IcingaExpression }
  | { readonly kind: "choice"; readonly condition: IcingaExpression; readonly parts: readonly IcingaExpression[] }
  | {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: IcingaExpression;
      readonly right: IcingaExpression;
    }
);

/** Loop of an apply rule or a statement: over an array (`value` only) or a dictionary (`key` and `value`). */
export type IcingaLoop = { readonly key?: string; readonly value: string; readonly over: IcingaExpression };

/** Declaration of an object, of a template or of a rule that makes objects. */
export type IcingaDeclaration = {
  readonly source: SourceLine;
  readonly kind: "object" | "template" | "apply";
  readonly type: string;
  /** Name; undefined for an apply rule that takes its names from its loop. */
  readonly name: IcingaExpression | undefined;
  /** Type to whose objects an apply rule applies: `Host` or `Service`. */
  readonly target?: string;
  readonly loop?: IcingaLoop;
  /** True for a template that every object of the type imports by itself. */
  readonly isDefault: boolean;
  readonly body: readonly IcingaStatement[];
};

export type IcingaStatement =
  | IcingaDeclaration
  | ({ readonly source: SourceLine } & (
      | { readonly kind: "expression"; readonly expression: IcingaExpression }
      | {
          readonly kind: "assign";
          readonly target: IcingaExpression;
          readonly operator: string;
          readonly value: IcingaExpression;
        }
      | { readonly kind: "local"; readonly name: string; readonly value: IcingaExpression | undefined }
      | { readonly kind: "constant"; readonly name: string; readonly value: IcingaExpression }
      | { readonly kind: "import"; readonly name: IcingaExpression }
      | { readonly kind: "where"; readonly ignores: boolean; readonly filter: IcingaExpression }
      | {
          readonly kind: "if";
          readonly condition: IcingaExpression;
          readonly body: readonly IcingaStatement[];
          readonly otherwise: readonly IcingaStatement[];
        }
      | { readonly kind: "for"; readonly loop: IcingaLoop; readonly body: readonly IcingaStatement[] }
      | {
          readonly kind: "include";
          readonly how: "include" | "include_recursive" | "include_zones";
          /** True for `<name>`, which is a file of the template library. */
          readonly isBuiltIn: boolean;
          readonly args: readonly IcingaExpression[];
        }
      | { readonly kind: "unsupported"; readonly statement: string }
    ));

/** Error in the sources, with its place. Thrown only within the parser and the evaluation, whose callers report it. */
export class IcingaSourceError extends Error {
  readonly source: SourceLine;
  readonly why: string;

  constructor(source: SourceLine, why: string) {
    super(`${source.file}:${source.line}: ${why}`);
    this.source = source;
    this.why = why;
  }
}

/** Sources that need more work than the limits allow: the rest of them is not evaluated. */
export class IcingaLimitError extends IcingaSourceError {}

/** Problem that an error of the parser or the evaluation means; `at` is the place where the error has none. */
export function problemOf(error: unknown, at: SourceLine): SourceProblem {
  if (error instanceof IcingaSourceError) return { source: error.source, why: error.why };
  if (error instanceof IcingaValueError) return { source: at, why: error.message };
  throw error;
}
