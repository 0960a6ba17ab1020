import type { ImportReport, SourceLine } from "../import/import-report.ts";
import { SourceConfiguration } from "../import/source-configuration.ts";
import { IcingaDictionary, IcingaUnknown, icingaText, isIcingaList, isTruthy } from "./dsl/values.ts";

/** Folder of the template library of Icinga 2 on Debian and others. A name in angle brackets includes one of its files. */
export const templateLibrary = "/usr/share/icinga2/include";

/** Object with templates and apply rules applied. */
export type IcingaObject = {
  readonly type: string;
  /** Name as the object list has it: `host`, `host!service`, `host!service!notification`. */
  readonly name: string;
  readonly source: SourceLine;
  readonly attributes: IcingaDictionary;
};

/** Objects of a configuration, the folder of its plugins where it is known, and that of its template library. */
export type IcingaObjects = {
  readonly objects: readonly IcingaObject[];
  readonly pluginFolder: string | undefined;
  readonly library: string;
  /** Comments that stand before declarations, by their places as `file:line`; none from an object list. */
  readonly comments?: ReadonlyMap<string, string>;
};

/** Text of an attribute; undefined when it is not set, empty or not known. */
export function attributeText({ attributes }: IcingaObject, name: string): string | undefined {
  const value = attributes.get(name);
  return value instanceof IcingaUnknown || value instanceof IcingaDictionary
    ? undefined
    : icingaText(value) || undefined;
}

/** Number of an attribute. */
export function attributeNumber(object: IcingaObject, name: string, fallback: number): number {
  const value = object.attributes.get(name);
  const number = typeof value === "number" ? value : value === null ? Number.NaN : Number(attributeText(object, name));
  return Number.isFinite(number) ? number : fallback;
}

export function attributeSwitch({ attributes }: IcingaObject, name: string, fallback: boolean): boolean {
  const value = attributes.get(name);
  return value === null || value instanceof IcingaUnknown ? fallback : isTruthy(value);
}

/** Texts of an attribute that is an array; one text counts as an array of one. */
export function attributeList({ attributes }: IcingaObject, name: string): readonly string[] {
  const value = attributes.get(name);
  if (isIcingaList(value)) return value.filter((each) => !(each instanceof IcingaUnknown)).map(icingaText);
  return value === null || value instanceof IcingaUnknown ? [] : [icingaText(value)];
}

/** Custom variables of an object. */
export function customVars({ attributes }: IcingaObject): IcingaDictionary {
  const vars = attributes.get("vars");
  return vars instanceof IcingaDictionary ? vars : new IcingaDictionary();
}

/** Last part of an object's name. */
export const shortName = ({ name, attributes }: IcingaObject): string =>
  icingaText(attributes.get("name")) || (name.split("!").at(-1) ?? name);

/** Reference of the host or the service that an object is about, from attributes whose names begin with `prefix`. */
export const targetRefOf = (object: IcingaObject, prefix = ""): string =>
  ["host_name", "service_name"].flatMap((name) => attributeText(object, prefix + name) ?? []).join("!");

/** Look-ups by type and name, and the report, which the converters share. */
export class IcingaConfiguration extends SourceConfiguration<IcingaObject> {
  readonly pluginFolder: string | undefined;
  readonly #library: string;
  readonly #byName: ReadonlyMap<string, IcingaObject>;

  constructor({ objects, pluginFolder, library }: IcingaObjects, report: ImportReport) {
    super(objects, report);
    this.#library = library;
    this.pluginFolder = pluginFolder;
    this.#byName = new Map(objects.map((object) => [`${object.type} ${object.name}`, object]));
  }

  find(type: string, name: string): IcingaObject | undefined {
    return this.#byName.get(`${type} ${name}`);
  }

  /** True for an object of the template library. */
  isOfLibrary({ source }: IcingaObject): boolean {
    return source.file.startsWith(`${this.#library}/`);
  }

  protected override nameOf({ name }: IcingaObject): string {
    return name;
  }

  protected override placeOf({ attributes }: IcingaObject, attribute: string): SourceLine | undefined {
    return attributes.sourceOf(attribute);
  }
}
