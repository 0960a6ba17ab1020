import { BlockList, isIP } from "node:net";
import {
  IcingaDictionary,
  IcingaUnknown,
  type IcingaValue,
  icingaText,
  isEqual,
  isIcingaList,
  isTruthy,
} from "./values.ts";

type IcingaArguments = readonly IcingaValue[];
type BuiltIn = (...args: IcingaArguments) => IcingaValue;

/** Calls a function of the language by its name. */
export function callFunction(name: string, args: IcingaArguments): IcingaValue {
  const unknown = args.find((each) => each instanceof IcingaUnknown);
  if (unknown !== undefined) return unknown;
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
  return found === undefined ? new IcingaUnknown(`the function ${name} is not carried over`) : found(...args);
}

/** Calls a method of a value; null has none. */
export function callMethod(value: IcingaValue, name: string, args: IcingaArguments): IcingaValue {
  if (value instanceof IcingaUnknown) return value;
  const unknown = args.find((each) => each instanceof IcingaUnknown);
  if (unknown !== undefined) return unknown;
  const [first = null, second = null] = args;
  const result =
    value instanceof IcingaDictionary
      ? dictionaryMethod(value, name, first)
      : isIcingaList(value)
        ? listMethod(value, name, first)
        : textMethod(icingaText(value), name, [first, second]);
  return result ?? new IcingaUnknown(`the method ${name} is not carried over`);
}

const functions: Readonly<Record<string, BuiltIn>> = {
  match: (pattern = null, value = null, mode = null) => testEach(value, mode, wildcard(icingaText(pattern))),
  regex: (pattern = null, value = null, mode = null) => {
    const expression = expressionOf(icingaText(pattern));
    if (expression === undefined) return new IcingaUnknown(`the expression ${icingaText(pattern)} is not understood`);
    return testEach(value, mode, (text) => expression.test(text));
  },
  cidr_match: (range = null, value = null, mode = null) => testEach(value, mode, inNetwork(icingaText(range))),
  len: (value = null) => lengthOf(value),
  keys: (value = null) => (value instanceof IcingaDictionary ? value.keys().toSorted() : []),
  string: (value = null) => icingaText(value),
  number: (value = null) => Number(value),
  bool: (value = null) => isTruthy(value),
  union: (...lists) => [...new Set(lists.flatMap((list) => (isIcingaList(list) ? list : [])))],
  intersection: (first = null, ...others) =>
    (isIcingaList(first) ? first : []).filter((each) =>
      others.every((other) => isIcingaList(other) && other.some((one) => isEqual(one, each))),
    ),
  range: (first = null, end = null, step = null) => {
    const [from, to] = end === null ? [0, Number(first)] : [Number(first), Number(end)];
    const by = Number(step ?? 1);
    const count = by === 0 ? 0 : Math.min(100_000, Math.max(0, Math.ceil((to - from) / by)));
    return Array.from({ length: count }, (_, at) => from + at * by);
  },
  log: () => null,
};

/** Constants by which match() and others test arrays. */
export const matchModes = { MatchAll: 0, MatchAny: 1 };

/** Tests a value, or the elements of an array: all of them, or any of them. An empty array never matches. */
function testEach(value: IcingaValue, mode: IcingaValue, test: (text: string) => boolean): boolean {
  if (!isIcingaList(value)) return test(icingaText(value));
  if (value.length === 0) return false;
  const each = (item: IcingaValue): boolean => test(icingaText(item));
  return mode === matchModes.MatchAny ? value.some(each) : value.every(each);
}

/** Test of a pattern with `*` and `?`; letters match in both cases. */
function wildcard(pattern: string): (text: string) => boolean {
  const parts = pattern.toLowerCase();
  return (written) => {
    const text = written.toLowerCase();
    let [at, star, back, from] = [0, -1, 0, 0];
    while (from < text.length)
      if (parts[at] === "*") [star, back, at] = [at, from, at + 1];
      else if (parts[at] === "?" || parts[at] === text[from]) [at, from] = [at + 1, from + 1];
      else if (star >= 0) [at, back, from] = [star + 1, back + 1, back + 1];
      else return false;
    while (parts[at] === "*") at += 1;
    return at === parts.length;
  };
}

function expressionOf(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}

function inNetwork(range: string): (address: string) => boolean {
  const [network = "", bits] = range.split("/");
  const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4") as "ipv4" | "ipv6";
  if (isIP(network) === 0) return () => false;
  const list = new BlockList();
  const all = isIP(network) === 6 ? 128 : 32;
  const prefix = bits === undefined ? all : Number(bits);
  if (!(prefix >= 0 && prefix <= all)) return () => false;
  list.addSubnet(network, prefix, family(network));
  return (address) => isIP(address) !== 0 && list.check(address, family(address));
}

const lengthOf = (value: IcingaValue): number =>
  isIcingaList(value) ? value.length : value instanceof IcingaDictionary ? value.size : icingaText(value).length;

function dictionaryMethod(value: IcingaDictionary, name: string, first: IcingaValue): IcingaValue | undefined {
  switch (name) {
    case "contains":
      return value.has(icingaText(first));
    case "keys":
      return value.keys().toSorted();
    case "values":
      return value.entries().map(([, each]) => each);
    case "get":
      return value.get(icingaText(first));
    case "len":
      return value.size;
    case "shallow_clone":
    case "clone":
      return new IcingaDictionary().assign(value);
    default:
      return undefined;
  }
}

function listMethod(value: readonly IcingaValue[], name: string, first: IcingaValue): IcingaValue | undefined {
  switch (name) {
    case "contains":
      return value.some((each) => isEqual(each, first));
    case "len":
      return value.length;
    case "get":
      return value[Number(first)] ?? null;
    case "join":
      return value.map(icingaText).join(icingaText(first));
    case "unique":
      return [...new Set(value)];
    case "sort":
      return value.toSorted((a, b) => (icingaText(a) < icingaText(b) ? -1 : 1));
    case "reverse":
      return value.toReversed();
    case "shallow_clone":
    case "clone":
      return [...value];
    default:
      return undefined;
  }
}

function textMethod(value: string, name: string, [first, second]: IcingaArguments): IcingaValue | undefined {
  const argument = icingaText(first ?? null);
  switch (name) {
    case "contains":
      return value.includes(argument);
    case "len":
      return value.length;
    case "lower":
      return value.toLowerCase();
    case "upper":
      return value.toUpperCase();
    case "trim":
      return value.trim();
    case "reverse":
      return [...value].reverse().join("");
    case "find":
      return value.indexOf(argument);
    case "replace":
      return value.replaceAll(argument, () => icingaText(second ?? null));
    case "split":
      return value.split(argument);
    case "substr":
      return second === null ? value.slice(Number(first)) : value.slice(Number(first), Number(first) + Number(second));
    case "to_string":
      return value;
    default:
      return undefined;
  }
}
