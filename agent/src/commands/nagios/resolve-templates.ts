import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { NagiosAttribute, NagiosObject } from "./source-objects.ts";

/**
 * Applies `use`: earlier templates win, a value that begins with `+` is added to the inherited one, and `null` removes
 * it. Returns the objects that are registered. Fails with `file:line: message`.
 */
export function resolveTemplates(objects: readonly NagiosObject[]): Result<readonly NagiosObject[], string> {
  const templates = new Map<string, NagiosObject>();
  for (const object of objects) {
    const name = object.attributes.get("name")?.value;
    if (name !== undefined) templates.set(`${object.type} ${name}`, object);
  }
  const resolved: NagiosObject[] = [];
  for (const object of objects) {
    if (object.attributes.get("register")?.value === "0") continue;
    const attributes = inherit(object, templates, []);
    if (!attributes.ok) return attributes;
    const own = [...attributes.value].filter(([name]) => !templateWords.has(name));
    resolved.push({ ...object, attributes: new Map(own.filter(([, { value }]) => value !== "null")) });
  }
  return ok(resolved);
}

const templateWords: ReadonlySet<string> = new Set(["use", "name", "register"]);

type Attributes = Map<string, NagiosAttribute>;

function inherit(
  object: NagiosObject,
  templates: ReadonlyMap<string, NagiosObject>,
  path: readonly NagiosObject[],
): Result<Attributes, string> {
  const { file, line } = object.source;
  if (path.includes(object)) return fail(`${file}:${line}: the ${object.type} uses itself as a template`);
  const attributes: Attributes = new Map(object.attributes);
  for (const name of splitList(object.attributes.get("use")?.value)) {
    const template = templates.get(`${object.type} ${name}`);
    if (template === undefined) return fail(`${file}:${line}: the ${object.type} uses "${name}", which is not defined`);
    const above = inherit(template, templates, [...path, object]);
    if (!above.ok) return above;
    for (const [key, inherited] of above.value) {
      if (templateWords.has(key)) continue;
      const own = attributes.get(key);
      if (own === undefined) attributes.set(key, inherited);
      else if (own.value.startsWith("+") && inherited.value !== "null")
        attributes.set(key, { ...own, value: `+${inherited.value.replace(/^\+/, "")},${own.value.slice(1)}` });
    }
  }
  if (path.length > 0) return ok(attributes);
  for (const [key, own] of attributes)
    if (own.value.startsWith("+")) attributes.set(key, { ...own, value: own.value.slice(1) });
  return ok(attributes);
}

/** Parts of a list that commas separate. */
export const splitList = (text = ""): readonly string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
