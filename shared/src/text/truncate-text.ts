/** The first characters of a text, with a mark that says how many more there were. Never splits a character. */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = text
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/\uFFFD$/, "");
  return `${kept}… (${text.length - kept.length} more characters cut)`;
}
