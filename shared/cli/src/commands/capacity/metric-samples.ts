/** One value of a metric, with its labels. */
type MetricSample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};
/** Values of all metrics of a program at one time. */
export type MetricSamples = readonly MetricSample[];

const samplePattern = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?[ \t]+(\S+)/;
const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const escapes: Readonly<Record<string, string>> = { "\\n": "\n", '\\"': '"', "\\\\": "\\" };

/** Parses the text format of Prometheus. Comments and lines that are not a sample are skipped. */
export function parseMetricSamples(text: string): MetricSamples {
  return text.split("\n").flatMap((line): MetricSample[] => {
    const [, name, labels = "", value = ""] = samplePattern.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(labelPattern)].map(([, label = "", quoted = ""]) => [
      label,
      quoted.replace(/\\./g, (pair) => escapes[pair] ?? pair),
    ]);
    return [{ name, labels: Object.fromEntries(pairs), value: numberOf(value) }];
  });
}

const infinities: Readonly<Record<string, number>> = {
  "+Inf": Number.POSITIVE_INFINITY,
  "-Inf": Number.NEGATIVE_INFINITY,
};
const numberOf = (text: string): number => infinities[text] ?? Number(text);

/** Sum of all values of a metric; undefined when the program does not have it. */
export function sumOf(samples: MetricSamples, name: string): number | undefined {
  const values = samples.filter((sample) => sample.name === name).map(({ value }) => value);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}
