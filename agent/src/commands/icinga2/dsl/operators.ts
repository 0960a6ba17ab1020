import {
  IcingaDictionary,
  IcingaUnknown,
  type IcingaValue,
  icingaText,
  isEqual,
  isIcingaList,
  isTruthy,
} from "./values.ts";

type Operator = (left: IcingaValue, right: IcingaValue) => IcingaValue;

/** Operator of two numbers; null counts as 0. */
const numeric =
  (calculate: (left: number, right: number) => IcingaValue): Operator =>
  (left, right) =>
    calculate(Number(left ?? 0), Number(right ?? 0));
const byZero = new IcingaUnknown("it divides by 0");

const operators: Readonly<Record<string, Operator>> = {
  "==": isEqual,
  "!=": (left, right) => !isEqual(left, right),
  in: (left, right) => contains(right, left),
  "!in": (left, right) => !contains(right, left),
  "+": add,
  "-": subtract,
  "<": (left, right) => compare(left, right) < 0,
  ">": (left, right) => compare(left, right) > 0,
  "<=": (left, right) => compare(left, right) <= 0,
  ">=": (left, right) => compare(left, right) >= 0,
  "*": numeric((left, right) => left * right),
  "/": numeric((left, right) => (right === 0 ? byZero : left / right)),
  "%": numeric((left, right) => (right === 0 ? byZero : left % right)),
  "&": numeric((left, right) => left & right),
  "|": numeric((left, right) => left | right),
  "^": numeric((left, right) => left ^ right),
  "<<": numeric((left, right) => left << right),
  ">>": numeric((left, right) => left >> right),
};

/** Result of an operator of two values. `&&` and `||` are not among them, because they may skip their right side. */
export function applyOperator(operator: string, left: IcingaValue, right: IcingaValue): IcingaValue {
  if (left instanceof IcingaUnknown) return left;
  if (right instanceof IcingaUnknown) return right;
  const apply = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  return apply === undefined ? new IcingaUnknown(`the operator ${operator} is not understood`) : apply(left, right);
}

const contains = (container: IcingaValue, item: IcingaValue): boolean =>
  isIcingaList(container)
    ? container.some((each) => isEqual(each, item))
    : container instanceof IcingaDictionary && container.has(icingaText(item));

function add(left: IcingaValue, right: IcingaValue): IcingaValue {
  if (isIcingaList(left) || isIcingaList(right)) return [...listFrom(left), ...listFrom(right)];
  if (left instanceof IcingaDictionary || right instanceof IcingaDictionary) {
    const sum = new IcingaDictionary();
    for (const each of [left, right]) if (each instanceof IcingaDictionary) sum.assign(each);
    return sum;
  }
  if (typeof left === "string" || typeof right === "string") return icingaText(left) + icingaText(right);
  if (left === null && right === null) return null;
  return Number(left) + Number(right);
}

const listFrom = (value: IcingaValue): readonly IcingaValue[] =>
  isIcingaList(value) ? value : value === null ? [] : [value];

function subtract(left: IcingaValue, right: IcingaValue): IcingaValue {
  if (isIcingaList(left)) return left.filter((each) => !contains(listFrom(right), each));
  if (!(left instanceof IcingaDictionary)) return Number(left) - Number(right);
  const rest = new IcingaDictionary().assign(left);
  for (const key of right instanceof IcingaDictionary ? right.keys() : listFrom(right).map(icingaText))
    rest.delete(key);
  return rest;
}

function compare(left: IcingaValue, right: IcingaValue): number {
  if (typeof left === "string" || typeof right === "string") {
    const [a, b] = [icingaText(left), icingaText(right)];
    return a < b ? -1 : Number(a > b);
  }
  return Number(left ?? 0) - Number(right ?? 0);
}

const negate = (value: IcingaValue): IcingaValue => (value instanceof IcingaUnknown ? value : !isTruthy(value));

/** Attributes that exist only while Icinga 2 runs. */
const runtimeAttributes =
  /^(?:(?:last_|next_|previous_).*|state|state_raw|state_type|problem|handled|severity|acknowledgement|downtime_depth|flapping|check_attempt|last_check_result)$/;

/** Entry of a dictionary, element of an array, or null. */
export function indexed(object: IcingaValue, key: IcingaValue): IcingaValue {
  if (object instanceof IcingaUnknown) return object;
  if (key instanceof IcingaUnknown) return key;
  if (isIcingaList(object)) return object[Number(key)] ?? null;
  if (!(object instanceof IcingaDictionary)) return null;
  const name = icingaText(key);
  if (object.has(name)) return object.get(name);
  const isObject = object.has("__name");
  if (isObject && name === "display_name") return object.get("name");
  return isObject && runtimeAttributes.test(name) ? new IcingaUnknown(`${name} is known at run time only`) : null;
}

/** Result of an operator of one value. */
export function applyUnary(operator: string, operand: IcingaValue): IcingaValue {
  if (operand instanceof IcingaUnknown) return operand;
  switch (operator) {
    case "!":
      return negate(operand);
    case "-":
      return -Number(operand);
    case "+":
      return Number(operand);
    case "~":
      return ~Number(operand);
    default:
      return new IcingaUnknown("references are not carried over");
  }
}
