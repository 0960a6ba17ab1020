/** Formats rows as columns, two spaces apart. Cells are not truncated; control characters become spaces. */
export function formatColumns(rows: readonly (readonly string[])[]): string[] {
  const plain = rows.map((row) => row.map((cell) => cell.replace(/\p{Cc}/gu, " ")));
  const widths: number[] = [];
  for (const row of plain) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return plain.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
