import type { Figure, Spread } from "./figure.ts";

/** Figures of one file of benchmarks. */
export type FiguresPart = {
  /** Name that `npm run bench -- NAME` takes. */
  readonly name: string;
  readonly figures: readonly Figure[];
  /** Benchmarks that failed, each with its first line. */
  readonly failures: readonly string[];
};

/** All figures of one run of the command, with what they depend on. */
export type FiguresReport = {
  /** Day on which the run began, UTC: `2026-11-28`. */
  readonly date: string;
  /** Command that repeats it. */
  readonly command: string;
  readonly runs: number;
  readonly quick: boolean;
  readonly machine: string;
  /** Versions of this build and of all programs that were found, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** Programs to compare with that are not installed. */
  readonly missing: readonly string[];
  /** Load averages before the parts of all runs: other work of the machine. */
  readonly load: Spread;
  readonly parts: readonly FiguresPart[];
};

/** Number with three significant digits and spaces between thousands. */
export function figureText(value: number): string {
  return value.toLocaleString("en", { maximumSignificantDigits: 3 }).replaceAll(",", " ");
}

/** `12 (10–15)`, or `12` when all values are the same to three digits. */
function spreadText({ median, min, max }: Spread): string {
  const [middle, low, high] = [median, min, max].map(figureText);
  return low === middle && high === middle ? `${middle}` : `${middle} (${low}–${high})`;
}

const ratioTexts = ({ ratios }: Figure): string[] =>
  ratios.map(({ against, spread, cpu }) => {
    const ofCpu = cpu === undefined ? "" : ` with ${spreadText(cpu)} × its CPU`;
    return `${spreadText(spread)} × ${against}${ofCpu}`;
  });

/** Lines of a part for a terminal. */
export function partLines({ name, figures, failures }: FiguresPart): string[] {
  const width = Math.max(0, ...figures.map((figure) => figure.name.length));
  const lines = figures.map((figure) => {
    const value = `${spreadText(figure.spread)} ${figure.unit}`;
    const cpu = figure.cpuMs === undefined ? [] : [`${spreadText(figure.cpuMs)} ms CPU each`];
    const more = [...ratioTexts(figure), ...cpu, figure.note].filter(Boolean).join("; ");
    return `  ${figure.name.padEnd(width)}  ${value}${more === "" ? "" : `; ${more}`}`;
  });
  return [`\n${name}`, ...lines, ...failures.map((failure) => `  failed: ${failure}`)];
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

function partSection({ name, figures, failures }: FiguresPart): string {
  const rows = figures.map((figure) => {
    const measurement = figure.note === "" ? figure.name : `${figure.name} (${figure.note})`;
    const cells = [
      measurement,
      `${spreadText(figure.spread)} ${figure.unit}`,
      figure.cpuMs === undefined ? "" : spreadText(figure.cpuMs),
      ratioTexts(figure).join("; "),
    ];
    return `| ${cells.map(cell).join(" | ")} |`;
  });
  const table = ["| measurement | value | CPU each, ms | ratio |", "|---|---|---|---|", ...rows];
  return [
    `## ${name}\n`,
    `\`npm run bench -- ${name}\`\n`,
    ...(figures.length === 0 ? [] : [table.join("\n"), ""]),
    ...failures.map((failure) => `Failed: ${cell(failure)}\n`),
  ].join("\n");
}

/** Page of the documentation with all figures. */
export function figuresPage(report: FiguresReport): string {
  const { date, command, runs, quick, machine, versions, missing, load, parts } = report;
  const sizes = quick ? "those of `--quick`, smaller than the usual ones" : "the usual ones";
  const facts = [
    ["command", `\`${command}\``],
    ["date", date],
    ["machine", machine],
    [
      "versions",
      Object.entries(versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(", "),
    ],
    ["not installed", missing.length === 0 ? "" : missing.join(", ")],
    ["runs of each benchmark", String(runs)],
    ["sizes", sizes],
    ["load average before the benchmarks", spreadText(load)],
  ].filter(([, value]) => value !== "");
  return `# Figures

This page is written by \`npm run bench\`: do not edit it. A value is the median of the runs, and in brackets the smallest
and the largest one. A ratio is formed within each run, and then over the runs in the same way: other work of the machine
changes values more than ratios. *CPU each* is the processor time for one unit of work, of all processes that do it.
[How to run and read benchmarks](contributing/benchmarks.md) says what counts.

| | |
|---|---|
${facts.map(([name = "", value = ""]) => `| ${name} | ${cell(value)} |`).join("\n")}

${parts.map(partSection).join("\n")}`;
}
