import type { DocumentPath } from "../../text/document-path.ts";
import { formatDuration } from "../../text/duration.ts";
import { parseWebUrl } from "../../text/web-url.ts";
import type { CheckSpec } from "../check-kinds/check-kinds.ts";
import { quoteText } from "../parser/parser.ts";
import { isChecked } from "../plan.ts";
import { addWarning, type LintContext, objectPath } from "./lint-context.ts";

/** Warns of values that are valid but probably unintended. */
export function lintValues(l: LintContext): void {
  const { plan } = l;
  for (const object of plan.objects.values()) {
    if (!isChecked(object)) continue;
    const path = [...objectPath(object), "check"];
    lintProgram(object.check, path, l);
    lintExpiry(object.check, path, l);
    lintUrl(object.check, path, l);
  }
  for (const [name, { run }] of plan.handlers) lintProgram(run, ["handlers", name], l);
  for (const sink of plan.sinks)
    if (sink.type === "exec") lintFile(sink.command[0] ?? "", ["sinks", sink.name, "command", 0], l);
  lintPanels(l);
}

function lintProgram(check: CheckSpec, path: DocumentPath, l: LintContext): void {
  if (check.type === "legacy") lintFile(check.path, [...path, "path"], l);
  if (check.type === "wasm") lintFile(check.module, [...path, "module"], l);
}

function lintFile(file: string, path: DocumentPath, l: LintContext): void {
  if (!l.exists(file)) addWarning(l, path, `names ${quoteText(file)}, which does not exist on this machine`);
}

function lintExpiry(check: CheckSpec, path: DocumentPath, l: LintContext): void {
  if (check.type !== "tls" || check.critWithinMs <= check.warnWithinMs) return;
  const [crit, within] = [formatDuration(check.critWithinMs), formatDuration(check.warnWithinMs)];
  addWarning(l, [...path, "crit_within"], `is more than warn_within, ${crit} > ${within}: there is never a warning`, {
    conflicts: [[...path, "warn_within"]],
  });
}

function lintUrl(check: CheckSpec, path: DocumentPath, l: LintContext): void {
  if (check.type !== "http" || parseWebUrl(check.url).ok) return;
  // The URL is not quoted, because it may contain a password.
  addWarning(l, [...path, "url"], "is not an http or https URL: the check is unknown at each run");
}

function lintPanels(l: LintContext): void {
  const { datasources, panels } = l.plan;
  const names = new Set(datasources.map(({ name }) => name));
  const defaultSource = datasources.find((source) => source.default);
  for (const { name, datasource } of panels) {
    const path = ["ui", "panels", name];
    if (datasource !== "" && !names.has(datasource))
      addWarning(l, [...path, "datasource"], `names the datasource ${quoteText(datasource)}, which is not declared`);
    if (datasource !== "") continue;
    if (defaultSource === undefined)
      addWarning(l, path, "names no datasource, and there is no default one", { at: "struct" });
    else if (defaultSource.type === "local")
      addWarning(l, path, "names no datasource, and the default one is local, which serves no panels", {
        at: "struct",
      });
  }
}
