/** Default case of a switch over a union: a missing case does not compile. Throws a TypeError that names the value. */
export function never(value: never): never {
  throw new TypeError(`unhandled case: ${JSON.stringify(value)}`);
}
