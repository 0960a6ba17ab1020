/** Bidirectional controls, which let a name be shown in another order than it has (Unicode, UAX 9). */
const bidirectional = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * Returns why a text cannot be the name of an object, as the end of a sentence about the name (`has …`); undefined when
 * it can. Two names that look and sort alike, but have other characters, would otherwise be two objects.
 */
export function nameProblem(name: string): string | undefined {
  if (/\p{Cc}/u.test(name)) return "a control character";
  if (bidirectional.test(name)) return "a bidirectional control character";
  if (/[\p{Zl}\p{Zp}]/u.test(name)) return "a line separator";
  return name === name.normalize("NFC") ? undefined : "characters that are not in Unicode's composed form (NFC)";
}

/** Letters of other alphabets that look like a Latin one, by the Latin letter. */
const lookAlikes: Readonly<Record<string, string>> = {
  a: "аα",
  c: "сϲ",
  e: "е",
  h: "һ",
  i: "іι",
  j: "јϳ",
  k: "κк",
  n: "п",
  o: "оοօ",
  p: "рρ",
  s: "ѕ",
  u: "υս",
  v: "νѵ",
  w: "ԝω",
  x: "хχ",
  y: "уγ",
  A: "АΑ",
  B: "ВΒ",
  C: "СϹ",
  E: "ЕΕ",
  H: "НΗ",
  I: "ІΙ",
  J: "Ј",
  K: "КΚ",
  M: "МΜ",
  N: "Ν",
  O: "ОΟ",
  P: "РΡ",
  S: "Ѕ",
  T: "ТΤ",
  X: "ХΧ",
  Y: "УΥ",
  Z: "Ζ",
};
const latinOf: ReadonlyMap<string, string> = new Map(
  Object.entries(lookAlikes).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)),
);

/** Text that is equal for names that people cannot tell apart on a screen. */
export function visibleForm(name: string): string {
  if (/^[\x21-\x7e]*$/.test(name)) return name;
  const shown = name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return [...shown]
    .map((letter) => latinOf.get(letter) ?? letter)
    .join("")
    .replace(/\s+/gu, " ")
    .trim();
}
