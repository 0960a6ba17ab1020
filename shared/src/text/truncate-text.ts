/** Truncates a text to `maxLength` characters and appends the number of characters cut. Never splits a character. */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = text
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/\uFFFD$/, "");
  return `${kept}… (${text.length - kept.length} more characters cut)`;
}
