import { BlockList, isIP } from "node:net";
import { linearExpression } from "../../import/linear-expression.ts";
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
  const notCarried = new IcingaUnknown(`the method ${name} is not carried over`);
  if (value instanceof IcingaDictionary) return methodOf(dictionaryMethods, name)?.(value, first, second) ?? notCarried;
  if (isIcingaList(value)) return methodOf(listMethods, name)?.(value, first, second) ?? notCarried;
  return methodOf(textMethods, name)?.(icingaText(value), first, second) ?? notCarried;
}

type Methods<V> = Readonly<Record<string, (value: V, first: IcingaValue, second: IcingaValue) => IcingaValue>>;

const methodOf = <V>(methods: Methods<V>, name: string): Methods<V>[string] | undefined =>
  Object.hasOwn(methods, name) ? methods[name] : undefined;

const functions: Readonly<Record<string, BuiltIn>> = {
  match: (pattern = null, value = null, mode = null) => testEach(value, mode, wildcard(icingaText(pattern))),
  regex: (pattern = null, value = null, mode = null) => {
    const expression = linearExpression(icingaText(pattern));
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

const dictionaryMethods: Methods<IcingaDictionary> = {
  contains: (value, key) => value.has(icingaText(key)),
  keys: (value) => value.keys().toSorted(),
  values: (value) => value.entries().map(([, each]) => each),
  get: (value, key) => value.get(icingaText(key)),
  len: (value) => value.size,
  shallow_clone: (value) => new IcingaDictionary().assign(value),
  clone: (value) => new IcingaDictionary().assign(value),
};

const listMethods: Methods<readonly IcingaValue[]> = {
  contains: (value, item) => value.some((each) => isEqual(each, item)),
  len: (value) => value.length,
  get: (value, index) => value[Number(index)] ?? null,
  join: (value, separator) => value.map(icingaText).join(icingaText(separator)),
  unique: (value) => [...new Set(value)],
  sort: (value) => value.toSorted((a, b) => (icingaText(a) < icingaText(b) ? -1 : 1)),
  reverse: (value) => value.toReversed(),
  shallow_clone: (value) => [...value],
  clone: (value) => [...value],
};

const textMethods: Methods<string> = {
  contains: (value, part) => value.includes(icingaText(part)),
  len: (value) => value.length,
  lower: (value) => value.toLowerCase(),
  upper: (value) => value.toUpperCase(),
  trim: (value) => value.trim(),
  reverse: (value) => [...value].reverse().join(""),
  find: (value, part) => value.indexOf(icingaText(part)),
  replace: (value, part, by) => value.replaceAll(icingaText(part), () => icingaText(by)),
  split: (value, separator) => value.split(icingaText(separator)),
  substr: (value, from, length) =>
    length === null ? value.slice(Number(from)) : value.slice(Number(from), Number(from) + Number(length)),
  to_string: (value) => value,
};
