/** Order of two texts by their UTF-16 units, for `sort`. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
