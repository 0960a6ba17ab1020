import { parseDuration } from "@realmwatch/shared/text/duration";
import type { ImportItem, SourceLine } from "./import-report.ts";
import type { CueObject } from "./imported-document.ts";

/** Settings of the objects of a document as texts, by object (`host web1`, `service web1!Disk`) and name of the setting. */
type DocumentFacts = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Compares the document that was written with the one that the objects of the other system itself give. Each difference
 * in what is checked, how often, by which command line, and who is notified, is an item of kind `difference`.
 *
 * @param sourceOf place of an object in the list of the other system
 */
export function compareDocuments(
  written: CueObject,
  expected: CueObject,
  sourceOf: (object: string) => SourceLine,
): readonly ImportItem[] {
  const [own, other] = [documentFacts(written), documentFacts(expected)];
  const objects = [...new Set([...other.keys(), ...own.keys()])];
  return objects.flatMap((object) =>
    differencesOf(own.get(object), other.get(object)).map((why) => ({
      ...{ source: sourceOf(object), kind: "difference", name: object, outcome: "unsupported", why },
    })),
  );
}

function differencesOf(
  own: ReadonlyMap<string, string> | undefined,
  other: ReadonlyMap<string, string> | undefined,
): readonly string[] {
  if (own === undefined) return ["it is not in the document"];
  if (other === undefined) return ["it is in the document, and not in the list to compare with"];
  return [...new Set([...other.keys(), ...own.keys()])]
    .filter((name) => own.get(name) !== other.get(name))
    .map((name) => `${name}: ${own.get(name) ?? "none"} in the document, ${other.get(name) ?? "none"} in the list`);
}

const objectsIn = (value: unknown): readonly (readonly [name: string, object: CueObject])[] =>
  Object.entries((value ?? {}) as Record<string, CueObject>);

function documentFacts(document: CueObject): DocumentFacts {
  const facts = new Map<string, ReadonlyMap<string, string>>();
  const add = (kind: string, name: string, settings: CueObject): void => {
    const texts = Object.entries(settings).flatMap(([setting, value]) =>
      value === undefined ? [] : [[setting, typeof value === "string" ? value : JSON.stringify(value)] as const],
    );
    facts.set(`${kind} ${name}`, new Map(texts));
  };
  for (const [name, host] of objectsIn(document["hosts"])) {
    add("host", name, { parents: sorted(host["parents"]), ...settingsOf(document, host) });
    for (const [service, object] of objectsIn(host["services"]))
      add("service", `${name}!${service}`, settingsOf(document, object));
  }
  for (const [name, contact] of objectsIn(document["contacts"])) add("contact", name, contact);
  for (const [name] of objectsIn(document["timeperiods"])) add("timeperiod", name, {});
  for (const { dependents, on, ...others } of Object.values(
    (document["dependencies"] ?? {}) as CueObject,
  ) as CueObject[])
    for (const dependent of dependents as CueObject[])
      add("dependency", `${dependent["ref"]} on ${(on as CueObject)["ref"]}`, {
        ...others,
        fails_on: sorted(others["fails_on"]),
      });
  return facts;
}

/** Settings that a host and a service have. */
function settingsOf(document: CueObject, object: CueObject): CueObject {
  const { type, command, args, flap, ...settings } = (object["check"] ?? {}) as CueObject;
  const labels = Object.keys((object["labels"] ?? {}) as CueObject);
  const policy = ((document["notifications"] ?? {}) as Record<string, CueObject>)[String(object["notification"])];
  return {
    check: type === "command" ? commandLineOf(document, String(command), args) : type,
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, spanOf(value) ?? value])),
    handler: object["handler"],
    groups: sorted(labels.filter((label) => /^(host|service)group\./.test(label))),
    "notification period": policy?.["period"],
    "notification levels": policy?.["levels"],
  };
}

/** Command line with its arguments and the values of resources. */
function commandLineOf(document: CueObject, command: string, args: unknown): string {
  const { line } = ((document["commands"] ?? {}) as Record<string, CueObject>)[command] ?? {};
  const values = (args ?? []) as readonly string[];
  const resources = (document["resources"] ?? {}) as Record<string, string>;
  return String(line ?? command)
    .replaceAll(/\$ARG(\d+)\$/g, (_, number) => values[Number(number) - 1] ?? "")
    .replaceAll(/\$(\w+)\$/g, (whole, name) => resources[name] ?? whole);
}

function spanOf(duration: unknown): string | undefined {
  const span = typeof duration === "string" ? parseDuration(duration) : undefined;
  return span?.ok ? `${span.value / 1000} s` : undefined;
}

const sorted = (list: unknown): readonly string[] | undefined =>
  Array.isArray(list) && list.length > 0 ? list.map(String).toSorted() : undefined;
