import { statusesWithout } from "../../import/contact-statuses.ts";
import { attributeList, type IcingaConfiguration, type IcingaObject } from "../icinga-object.ts";

/** Kinds of notifications of a document by the types of the language, with their numbers in its filters. */
const types: Readonly<Record<string, { readonly bit: number; readonly kind: string }>> = {
  DowntimeStart: { bit: 1, kind: "DOWNTIME_START" },
  DowntimeEnd: { bit: 2, kind: "DOWNTIME_END" },
  DowntimeRemoved: { bit: 4, kind: "DOWNTIME_CANCELLED" },
  Custom: { bit: 8, kind: "CUSTOM" },
  Acknowledgement: { bit: 16, kind: "ACKNOWLEDGEMENT" },
  Problem: { bit: 32, kind: "PROBLEM" },
  Recovery: { bit: 64, kind: "RECOVERY" },
  FlappingStart: { bit: 128, kind: "FLAPPING_START" },
  FlappingEnd: { bit: 256, kind: "FLAPPING_STOP" },
};
const states: Readonly<Record<string, number>> = { OK: 1, Warning: 2, Critical: 4, Unknown: 8, Up: 16, Down: 32 };

/** Kinds that a list of types leaves out; none without a list. */
export function missingKinds(object: IcingaObject): readonly string[] {
  const listed = namesOf(
    attributeList(object, "types"),
    Object.fromEntries(Object.entries(types).map(([name, { bit }]) => [name, bit])),
  );
  if (listed.length === 0) return [];
  const missing = Object.entries(types).flatMap(([name, { kind }]) => (listed.includes(name) ? [] : [kind]));
  return missing.includes("PROBLEM") ? [...missing, "STATUS_CHANGE"] : missing;
}

const statusByState: Readonly<Record<string, string>> = {
  Warning: "WARNING",
  Critical: "CRITICAL",
  Unknown: "UNKNOWN",
};

/** Statuses of problems of a host or service that a list of states leaves; all without a list. */
export function notifiedStatuses(object: IcingaObject, kind: "Host" | "Service"): readonly string[] {
  const listed = listedStates(object);
  if (listed.length === 0) return statusesWithout([]);
  const problems = kind === "Host" ? { Down: "CRITICAL" } : statusByState;
  const left = Object.entries(problems).filter(([state]) => !listed.includes(state));
  return statusesWithout(left.map(([, status]) => status));
}

/** States of an attribute by their names. */
export const listedStates = (object: IcingaObject): readonly string[] =>
  namesOf(attributeList(object, "states"), states);

/** Names of a list whose elements are names or numbers of bits. */
const namesOf = (list: readonly string[], bits: Readonly<Record<string, number>>): readonly string[] =>
  list.flatMap((each) =>
    Number.isNaN(Number(each))
      ? [each]
      : Object.entries(bits).flatMap(([name, bit]) => ((Number(each) & bit) === 0 ? [] : [name])),
  );

/** Reports kinds of notifications that an object refuses and a document cannot. */
export function remarkKinds(configuration: IcingaConfiguration, object: IcingaObject, why: string): void {
  const kinds = missingKinds(object).filter((kind) => kind !== "STATUS_CHANGE");
  if (kinds.length > 0) configuration.approximated(object, `${why}: ${kinds.join(", ")} too`, "types");
}
