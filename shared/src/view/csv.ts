import { truncateDecimals } from "./truncate-decimals.ts";

type CsvValue = string | number | boolean | undefined;

/** Lines of CSV as RFC 4180 has them, without a final line break. An undefined value is an empty field. */
export const formatCsvLines = (lines: readonly (readonly CsvValue[])[]): string =>
  lines.map((line) => line.map(csvField).join(",")).join("\r\n");

/**
 * Quotes a field. A number has at most four decimals, rounded towards zero, so that a missed target never looks met. Spreadsheets take a text that begins like a formula for one, so it gets an
 * apostrophe.
 */
function csvField(value: CsvValue): string {
  if (value === undefined) return "";
  if (typeof value === "number") return String(truncateDecimals(value, 4));
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
