/** Ends a switch over a union: a case that is left out does not compile. Throws a TypeError naming the case. */
export function never(value: never): never {
  throw new TypeError(`unhandled case: ${JSON.stringify(value)}`);
}
