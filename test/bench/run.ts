// Runs every exported `bench…` function of test/bench/*.ts and prints its rows.
// Usage: npm run bench [-- PART-OF-A-NAME…]
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { filesOf, root } from "../architecture/sources.ts";
import type { BenchRow } from "./bench-row.ts";

type Bench = () => BenchRow[] | Promise<BenchRow[]>;

const parts = process.argv.slice(2);

async function benchesOf(file: string): Promise<[name: string, bench: Bench][]> {
  const module = (await import(join(root, file))) as Record<string, unknown>;
  return Object.entries(module).filter(
    (entry): entry is [string, Bench] => entry[0].startsWith("bench") && typeof entry[1] === "function",
  );
}

/** Number with three significant digits and spaces between thousands. */
function figure(value: number): string {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return value.toLocaleString("en", { maximumFractionDigits: Math.min(digits, 3) }).replaceAll(",", " ");
}

function ratio(row: BenchRow, rows: readonly BenchRow[]): string {
  const other = rows.find(({ name }) => name === row.against);
  return other === undefined || other.rate === 0 ? "" : `${(row.rate / other.rate).toFixed(2)} × ${other.name}`;
}

function print(rows: readonly BenchRow[]): void {
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const row of rows) {
    const notes = [ratio(row, rows), row.note].filter(Boolean).join("; ");
    console.log(
      `  ${row.name.padEnd(width)}  ${figure(row.rate).padStart(11)} ${row.unit.padEnd(12)} ${notes}`.trimEnd(),
    );
  }
}

console.log(
  `Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${figure(totalmem() / 2 ** 30)} GiB`,
);
let failed = 0;
for (const file of filesOf(
  "test/bench/{!(run|process-tree|bench-*),{data,port,aggregator,dashboard}/!(bench-*)}.ts",
).filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)))) {
  console.log(`\n${file.replace(/^test\/bench\/|\.ts$/g, "")}`);
  for (const [name, bench] of await benchesOf(file)) {
    try {
      print(await bench());
    } catch (error) {
      failed++;
      console.log(`  ${name} failed: ${error instanceof Error ? error.stack : error}`);
    }
  }
}
process.exit(failed === 0 ? 0 : 1);
