import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { type ImportLimits, maxNesting, maxValueLength } from "../import/import-limits.ts";
import type { SourceProblem } from "../import/import-report.ts";
import type { NagiosAttribute, NagiosObject } from "./source-objects.ts";

type ObjectProblem = SourceProblem & { readonly object: NagiosObject };

/** Objects that are registered, and those that are left out: their templates are not valid, or their names are taken. */
type ResolvedObjects = {
  readonly objects: readonly NagiosObject[];
  readonly problems: readonly ObjectProblem[];
};

/**
 * Applies `use`: earlier templates win, a value that begins with `+` is added to the inherited one, and `null` removes
 * it.
 */
export function resolveTemplates(sources: readonly NagiosObject[], limits: ImportLimits): ResolvedObjects {
  const templates = new TemplateResolver(sources, limits);
  const objects: NagiosObject[] = [];
  const problems: ObjectProblem[] = [...templates.repeated];
  const named = new Map<string, NagiosObject>();
  for (const object of sources) {
    if (object.attributes.get("register")?.value === "0") continue;
    const name = object.attributes.get(`${object.type}_name`)?.value;
    const repeated = name === undefined ? undefined : repetition(named, name, object);
    if (repeated !== undefined) {
      problems.push(repeated);
      continue;
    }
    const resolved = templates.resolve(object);
    if (resolved.ok)
      objects.push({
        ...object,
        attributes: resolved.value,
        template: splitList(object.attributes.get("use")?.value)[0],
      });
    else problems.push({ ...resolved.error, object });
  }
  return { objects, problems };
}

/** Problem of an object whose name another one of its type has; undefined when it is the first, which is noted. */
function repetition(named: Map<string, NagiosObject>, name: string, object: NagiosObject): ObjectProblem | undefined {
  const key = `${object.type} ${name}`;
  const first = named.get(key)?.source;
  if (first === undefined) return void named.set(key, object);
  const why = `${name} is defined twice: the definition at ${first.file}:${first.line} counts`;
  return { object, source: object.source, why };
}

const templateWords: ReadonlySet<string> = new Set(["use", "name", "register"]);

type Attributes = Map<string, NagiosAttribute>;
/** Attributes of an object with those of its templates, and the number of templates above one another. */
type Inherited = { readonly attributes: Attributes; readonly depth: number };

const problemAt = ({ source }: NagiosObject, why: string) => fail<SourceProblem>({ source, why });
const tooDeep = (object: NagiosObject) =>
  problemAt(object, `the ${object.type} has more than ${maxNesting} templates above one another`);

class TemplateResolver {
  /** Templates whose names others have. */
  readonly repeated: ObjectProblem[] = [];
  readonly #templates = new Map<string, NagiosObject>();
  /** Objects that were resolved: each is resolved once, however many paths lead to it. */
  readonly #inherited = new Map<NagiosObject, Inherited>();
  readonly #limits: ImportLimits;
  #entries = 0;

  constructor(objects: readonly NagiosObject[], limits: ImportLimits) {
    this.#limits = limits;
    for (const object of objects) {
      const name = object.attributes.get("name")?.value;
      const repeated = name === undefined ? undefined : repetition(this.#templates, name, object);
      if (repeated !== undefined) this.repeated.push(repeated);
    }
  }

  resolve(object: NagiosObject): Result<Attributes, SourceProblem> {
    const inherited = this.#inherit(object, []);
    if (!inherited.ok) return inherited;
    const attributes: Attributes = new Map();
    for (const [key, { value, source }] of inherited.value.attributes)
      if (!templateWords.has(key) && value !== "null")
        attributes.set(key, { value: value.startsWith("+") ? value.slice(1) : value, source });
    return ok(attributes);
  }

  #inherit(object: NagiosObject, path: readonly NagiosObject[]): Result<Inherited, SourceProblem> {
    const known = this.#inherited.get(object);
    if (known !== undefined) return ok(known);
    if (path.includes(object)) return problemAt(object, `the ${object.type} uses itself as a template`);
    if (path.length > maxNesting) return tooDeep(object);
    const attributes: Attributes = new Map(object.attributes);
    let depth = 0;
    for (const name of splitList(object.attributes.get("use")?.value)) {
      const template = this.#templates.get(`${object.type} ${name}`);
      if (template === undefined)
        return problemAt(object, `the ${object.type} uses ${JSON.stringify(name)}, which is not defined`);
      const above = this.#inherit(template, [...path, object]);
      if (!above.ok) return above;
      depth = Math.max(depth, above.value.depth + 1);
      if (depth > maxNesting) return tooDeep(object);
      const refused = this.#add(attributes, above.value.attributes, object);
      if (refused !== undefined) return refused;
    }
    const inherited = { attributes, depth };
    this.#inherited.set(object, inherited);
    return ok(inherited);
  }

  /** Adds the attributes of a template; the result is the refusal, if any. */
  #add(attributes: Attributes, above: Attributes, object: NagiosObject): ReturnType<typeof problemAt> | undefined {
    this.#entries += above.size;
    if (this.#entries > this.#limits.entries)
      return problemAt(object, `the templates have more than ${Math.floor(this.#limits.entries)} attributes in all`);
    for (const [key, inherited] of above) {
      if (templateWords.has(key)) continue;
      const own = attributes.get(key);
      if (own === undefined) attributes.set(key, inherited);
      else if (own.value.startsWith("+") && inherited.value !== "null") {
        const value = `+${inherited.value.replace(/^\+/, "")},${own.value.slice(1)}`;
        if (value.length > maxValueLength)
          return problemAt(object, `${key} has more than ${maxValueLength} characters with those of its templates`);
        attributes.set(key, { ...own, value });
      }
    }
    return undefined;
  }
}

/** Parts of a list that commas separate. */
export const splitList = (text = ""): readonly string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
