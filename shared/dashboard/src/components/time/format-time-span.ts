const units: readonly [ms: number, name: string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
];

/** Formats a duration in its two largest units: `3 d 4 h`, `1 h 12 m`, `42 s`. Negative durations count as zero. */
export function formatTimeSpan(ms: number): string {
  const wholeMs = Math.max(0, ms);
  const first = units.findIndex(([size]) => wholeMs >= size);
  const [large, small] = [units[first], units[first + 1]];
  if (large === undefined) return "0 s";
  const count = Math.floor(wholeMs / large[0]);
  const rest = small === undefined ? 0 : Math.floor((wholeMs % large[0]) / small[0]);
  return small === undefined || rest === 0 ? `${count} ${large[1]}` : `${count} ${large[1]} ${rest} ${small[1]}`;
}

/** Formats the run time of a check: `850 ms`, `1.2 s`, from one minute on like `formatTimeSpan`. */
export function formatRunTime(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : formatTimeSpan(ms);
}

/** Formats an age in its largest unit, for columns: `13 m`, `3 d`. */
export function formatShortAge(ms: number): string {
  const wholeMs = Math.max(0, ms);
  const [size, name] = units.find(([size]) => wholeMs >= size) ?? [1_000, "s"];
  return `${Math.floor(wholeMs / size)} ${name}`;
}

/** Formats a running time as a counter: `00:07`, `75:30`, from 100 minutes on with hours: `1:40:00`. */
export function formatCounter(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000);
  const two = (count: number): string => String(count).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 100) return `${two(minutes)}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
