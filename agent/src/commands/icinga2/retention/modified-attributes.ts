import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ObjectToggles } from "@realmwatch/shared/model/toggles";
import { describeFileError } from "@realmwatch/shared/platform/files/describe-file-error";
import { readTextFile } from "../../../platform/files/text-file.ts";
import type { ImportReport, SourceLine } from "../../import/import-report.ts";
import { parseIcinga } from "../dsl/parse-icinga.ts";
import { type IcingaExpression, type IcingaStatement, problemOf } from "../dsl/syntax.ts";

const toggleAttributes: Readonly<Record<string, keyof ObjectToggles>> = {
  enable_notifications: "notifications",
  enable_active_checks: "activeChecks",
  enable_passive_checks: "passiveChecks",
  enable_event_handler: "eventHandler",
  enable_flapping: "flapDetection",
};

/** Toggle of an object that was turned off at run time. */
export type ToggleOff = { readonly ref: string; readonly toggle: keyof ObjectToggles; readonly source: SourceLine };

type Modified = {
  readonly type: string;
  readonly name: string;
  readonly attribute: string;
  /** Undefined for a value that is not a literal. */
  readonly value: unknown;
  readonly source: SourceLine;
};

/**
 * Toggles that `modified-attributes.conf` beside the state file turns off. Other attributes that were changed at run time
 * are findings.
 */
export async function readTogglesOff(stateFile: string, report: ImportReport): Promise<readonly ToggleOff[]> {
  const file = join(dirname(stateFile), "modified-attributes.conf");
  if (!existsSync(file)) return [];
  const reject = (source: SourceLine, why: string): readonly ToggleOff[] => {
    report.add({ source, kind: "file", name: file, outcome: "unsupported", why });
    return [];
  };
  const text = await readTextFile(file);
  if (!text.ok) return reject({ file, line: 1 }, `cannot be read: ${describeFileError(text.error)}`);
  try {
    return modifiedIn(parseIcinga(file, text.value)).flatMap((each) => toggleOff(each, report));
  } catch (error) {
    const { source, why } = problemOf(error, { file, line: 1 });
    return reject(source, why);
  }
}

function toggleOff({ type, name, attribute, value, source }: Modified, report: ImportReport): readonly ToggleOff[] {
  const toggle = type === "Host" || type === "Service" ? toggleAttributes[attribute] : undefined;
  if (toggle !== undefined) return value === false ? [{ ref: name, toggle, source }] : [];
  const why = `${attribute} was changed at run time: set it in the document`;
  report.add({ source, kind: type, name, outcome: "unsupported", why });
  return [];
}

/** Changes that the file makes: `var obj = get_object(TYPE, NAME)`, then `obj.modify_attribute(ATTRIBUTE, VALUE)` in an `if`. */
function modifiedIn(statements: readonly IcingaStatement[]): readonly Modified[] {
  const found: Modified[] = [];
  let [type, name]: readonly unknown[] = [];
  for (const statement of statements) {
    if (statement.kind === "local") [type, name] = literalArgs(statement.value, "get_object");
    if (statement.kind !== "if") continue;
    for (const change of statement.body) {
      if (change.kind !== "expression") continue;
      const [attribute, value] = literalArgs(change.expression, "modify_attribute");
      if (typeof type === "string" && typeof name === "string" && typeof attribute === "string")
        found.push({ type, name, attribute, value, source: change.source });
    }
  }
  return found;
}

/** Arguments of a call of a function or a method by its name; none of another expression. */
function literalArgs(expression: IcingaExpression | undefined, called: string): readonly unknown[] {
  if (expression?.kind !== "call") return [];
  const { callee, args } = expression;
  const name =
    callee.kind === "index" && callee.key.kind === "literal"
      ? callee.key.value
      : callee.kind === "name"
        ? callee.name
        : "";
  return name === called ? args.map((each) => (each.kind === "literal" ? each.value : undefined)) : [];
}
