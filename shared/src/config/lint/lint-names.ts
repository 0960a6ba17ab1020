import { visibleForm } from "../../text/object-name.ts";
import type { ObjectPlan } from "../plan.ts";
import { addWarning, type LintContext, objectPath } from "./lint-context.ts";

/** Objects among which a name must be unique: all hosts, all processes, the services of one host. */
const scopeOf = ({ key }: ObjectPlan): string => (key.kind === "service" ? `service ${key.host}` : key.kind);

/** Warns of objects whose names people cannot tell apart. */
export function lintNames(l: LintContext): void {
  const seen = new Map<string, string>();
  for (const object of l.plan.objects.values()) {
    const { name } = object.key;
    const id = JSON.stringify([scopeOf(object), visibleForm(name)]);
    const other = seen.get(id);
    if (other === undefined) seen.set(id, name);
    else
      addWarning(l, objectPath(object), `looks like ${JSON.stringify(other)}, but has other characters`, {
        at: "struct",
      });
  }
}
