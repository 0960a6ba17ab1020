import { showDuration } from "../../text/duration.ts";
import { parseWebUrl } from "../../text/web-url.ts";
import type { CheckSpec } from "../check-spec.ts";
import { type Linting, type Path, pathOfObject, warn } from "./lint-context.ts";
import { isChecked } from "../plan.ts";
import { quote } from "../parser/parser.ts";

/** Warns of values that are allowed and hardly meant. */
export function lintValues(l: Linting): void {
  const { plan } = l;
  for (const object of plan.objects.values()) {
    if (!isChecked(object)) continue;
    const path = [...pathOfObject(object), "check"];
    lintProgram(object.check, path, l);
    lintExpiry(object.check, path, l);
    lintUrl(object.check, path, l);
  }
  for (const [name, { run }] of plan.handlers) lintProgram(run, ["handlers", name], l);
  for (const sink of plan.sinks)
    if (sink.type === "exec") lintFile(sink.command[0] ?? "", ["sinks", sink.name, "command", 0], l);
  lintPanels(l);
}

function lintProgram(check: CheckSpec, path: Path, l: Linting): void {
  if (check.type === "legacy") lintFile(check.path, [...path, "path"], l);
  if (check.type === "wasm") lintFile(check.module, [...path, "module"], l);
}

function lintFile(file: string, path: Path, l: Linting): void {
  if (!l.exists(file)) warn(l, path, `names ${quote(file)}, which does not exist on this machine`);
}

function lintExpiry(check: CheckSpec, path: Path, l: Linting): void {
  if (check.type !== "tls" || check.critWithinMs <= check.warnWithinMs) return;
  const [crit, within] = [showDuration(check.critWithinMs), showDuration(check.warnWithinMs)];
  warn(l, [...path, "crit_within"], `is more than warn_within, ${crit} > ${within}: there is never a warning`, {
    rivals: [[...path, "warn_within"]],
  });
}

function lintUrl(check: CheckSpec, path: Path, l: Linting): void {
  if (check.type !== "http" || parseWebUrl(check.url).ok) return;
  // Not quoted: it may hold a password.
  warn(l, [...path, "url"], "is no URL of http or https: the check is unknown at each run");
}

function lintPanels(l: Linting): void {
  const { datasources, panels } = l.plan;
  const names = new Set(datasources.map(({ name }) => name));
  const standard = datasources.find((source) => source.default);
  for (const { name, datasource } of panels) {
    const path = ["ui", "panels", name];
    if (datasource !== "" && !names.has(datasource))
      warn(l, [...path, "datasource"], `names the datasource ${quote(datasource)}, which is not declared`);
    if (datasource !== "") continue;
    if (standard === undefined) warn(l, path, "names no datasource, and there is no default one", { at: "struct" });
    else if (standard.type === "local")
      warn(l, path, "names no datasource, and the default one is local, which serves no panels", { at: "struct" });
  }
}
