import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import {
  ListObjectMetricsResponseSchema,
  type ObjectMetric,
  type Point,
  type QueryObjectMetricRequestSchema,
  QueryObjectMetricResponseSchema,
  type Series,
} from "@realmwatch/proto/svc/v1/query_pb";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { parseDuration } from "@realmwatch/shared/text/duration";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { durationToProto } from "@realmwatch/shared/wire/fields/time";
import { type CliContext, cliCommand } from "../cli-command.ts";
import { wrongUsage } from "../output/cli-failure.ts";
import { formatLocalTime } from "../output/format-object.ts";
import { formatTable, type Screen, type TextColumn } from "../output/table.ts";
import { readObject } from "../parse/read-target.ts";
import { readTimeFlags } from "../parse/read-time.ts";

type Window = Pick<MessageInitShape<typeof QueryObjectMetricRequestSchema>, "from" | "to" | "step">;
type WindowFlags = Readonly<Record<"from" | "to" | "step", string | undefined>>;

function readWindow(flags: WindowFlags, context: CliContext): Result<Window, string> {
  const window = readTimeFlags(["from", "to"], flags, context);
  if (!window.ok) return window;
  if (flags.step === undefined) return window;
  const step = parseDuration(flags.step);
  if (!step.ok) return fail(`-step: ${JSON.stringify(flags.step)} is not a duration such as 5m`);
  return ok({ ...window.value, step: durationToProto(step.value) });
}

type SeriesPoint = { readonly series: Series; readonly point: Point };

const metricColumns: readonly TextColumn<ObjectMetric>[] = [
  { title: "METRIC", cell: ({ label }) => label, flexible: true },
  { title: "UNIT", cell: ({ uom }) => uom },
];

const columnsFor = (screen: Screen): TextColumn<SeriesPoint>[] => [
  { title: "TIME", cell: ({ point }) => formatLocalTime(point.at, screen) },
  { title: "VALUE", cell: ({ point }) => String(point.value) },
  { title: "UNIT", cell: ({ series }) => series.labels.unit ?? "" },
];

export const metricsCliCommand = cliCommand({
  path: "metrics",
  args: ["OBJECT", "[METRIC]"],
  summary: "List the metrics of an object, or show the values of one.",
  flags: {
    realm: { help: "Realm of the object, where more than one has it.", placeholder: "NAME" },
    from: {
      help: "Start of the range: 6h (ago), 2026-03-01 00:00 or RFC 3339; one hour before the end by default.",
      placeholder: "TIME",
    },
    to: { help: "End of the range; now by default.", placeholder: "TIME" },
    step: { help: "Interval between values, such as 5m.", placeholder: "DURATION" },
  },
  async run({ args: [object = "", metric], flags, context }) {
    const key = readObject(object);
    if (!key.ok) return wrongUsage(key.error);
    const window = readWindow(flags, context);
    if (!window.ok) return wrongUsage(window.error);
    const target = { object: objectKeyToProto(key.value), realm: flags.realm ?? context.server.realm };
    if (metric === undefined) {
      const listed = await context.server.query("listObjectMetrics", target);
      if (!listed.ok) return listed;
      const { metrics } = listed.value;
      return ok({
        json: toJson(ListObjectMetricsResponseSchema, listed.value),
        list: "metrics",
        text: (screen) => (metrics.length === 0 ? "no metrics" : formatTable(metricColumns, metrics, screen)),
        ids: metrics.map(({ label }) => label),
      });
    }
    const found = await context.server.query("queryObjectMetric", { ...target, metric, ...window.value });
    if (!found.ok) return found;
    const points = found.value.series.flatMap((series) => series.points.map((point) => ({ series, point })));
    return ok({
      json: toJson(QueryObjectMetricResponseSchema, found.value),
      list: "series",
      text: (screen) => (points.length === 0 ? "no values" : formatTable(columnsFor(screen), points, screen)),
      ids: points.map(({ point }) => String(point.value)),
    });
  },
});
