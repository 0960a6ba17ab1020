import { compress } from "snappyjs";
import type { OutboundHttp } from "../../platform/outbound/outbound-http.ts";
import { openEventEncoder } from "../encode/event-series.ts";
import { encodeWriteRequest, encodeWriteRequest2, type WriteSeries, writeSeriesOf } from "../encode/write-request.ts";
import type { SinkSendResult, SinkWriter, SinkWriterType } from "../sink-type.ts";
import { classifySinkResponse, sinkRequestMs } from "../transport/sink-http-client.ts";

/** Protocol version of a receiver. `unknown`: takes 1.0, and was not asked for 2.0 yet. */
type WriteProtocol = "unknown" | "1.0" | "2.0";

/** Sends each batch as one request of Prometheus remote write: 2.0 where the receiver takes it, else 1.0. */
export const remoteWriteSinkType: SinkWriterType<"remote_write"> = {
  timeoutMs: sinkRequestMs,
  open({ url }, { http, realm }): SinkWriter {
    let protocol: WriteProtocol = "unknown";
    let isDescribed = false;
    const events = openEventEncoder();

    async function post(series: readonly WriteSeries[], signal: AbortSignal): Promise<SinkSendResult> {
      const isNewer = protocol === "2.0";
      const body = isNewer ? encodeWriteRequest2(series) : encodeWriteRequest(series, !isDescribed);
      const response = await sendRequest(http, { url, body, isNewer }, signal);
      if (response.kind !== "response") {
        // The receiver may have been replaced by one of another release.
        protocol = "unknown";
        return response;
      }
      if (isNewer && response.status === 415) {
        protocol = "1.0";
        return post(series, signal);
      }
      const result = classifySinkResponse(response);
      if (result.kind === "delivered") isDescribed = true;
      return result.kind === "rejected" && isTimeRefusal(response.body)
        ? { ...result, reason: "out_of_order", detail: `${result.detail}: samples are too old or out of order` }
        : result;
    }

    /** Delivers what a receiver takes of series of which it refused some samples because of their times. */
    async function deliver(series: readonly WriteSeries[], signal: AbortSignal): Promise<SinkSendResult> {
      const result = await post(series, signal);
      if (result.kind !== "rejected" || result.reason !== "out_of_order") return result;
      const halves = halvesOf(series);
      if (halves === undefined) return { kind: "delivered", dropped: 1, reason: "out_of_order" };
      let dropped = 0;
      for (const half of halves) {
        const one = await deliver(half, signal);
        if (one.kind !== "delivered") return one;
        dropped += one.dropped ?? 0;
      }
      return { kind: "delivered", dropped, reason: "out_of_order" };
    }

    return {
      async send(batch, signal) {
        const series =
          batch.input === "events" ? events.encode(batch.entries, realm) : writeSeriesOf(batch.entries, realm);
        if (series.length === 0) return { kind: "delivered" };
        const result = await deliver(series, signal);
        if (result.kind === "delivered" && batch.input === "events") events.delivered(series);
        if (result.kind === "delivered" && protocol === "unknown")
          protocol = (await takesNewer(http, url, signal)) ? "2.0" : "1.0";
        return result;
      },
      async close() {},
    };
  },
};

function sendRequest(
  http: OutboundHttp,
  { url, body, isNewer }: { url: string; body: Uint8Array; isNewer: boolean },
  signal: AbortSignal,
) {
  const headers = {
    "content-type": `application/x-protobuf${isNewer ? ";proto=io.prometheus.write.v2.Request" : ""}`,
    "content-encoding": "snappy",
    "x-prometheus-remote-write-version": isNewer ? "2.0.0" : "0.1.0",
  };
  return http.send({ url, headers, body: compress(body) }, signal);
}

/**
 * Asks with an empty request whether a receiver takes 2.0. Older receivers may accept the request and ignore what they do
 * not know; only newer ones answer with the number of samples written.
 */
async function takesNewer(http: OutboundHttp, url: string, signal: AbortSignal): Promise<boolean> {
  const response = await sendRequest(http, { url, body: encodeWriteRequest2([]), isNewer: true }, signal);
  return (
    response.kind === "response" &&
    response.status < 300 &&
    response.headers["x-prometheus-remote-write-samples-written"] !== undefined
  );
}

/** True for the texts with which Prometheus and its relatives refuse samples because of their times. */
const isTimeRefusal = (body: string): boolean =>
  /out[ -]of[ -]order|out of bounds|too old|duplicate sample|too far in the future/i.test(body.slice(0, 4_096));

/** Halves of a request: of its series, or of the samples of its only one; undefined when it has one sample. */
function halvesOf(series: readonly WriteSeries[]): readonly (readonly WriteSeries[])[] | undefined {
  const [only] = series;
  if (only === undefined) return undefined;
  if (series.length > 1) {
    const middle = Math.ceil(series.length / 2);
    return [series.slice(0, middle), series.slice(middle)];
  }
  if (only.samples.length === 1) return undefined;
  const middle = Math.ceil(only.samples.length / 2);
  const part = (samples: WriteSeries["samples"]): readonly WriteSeries[] => [{ ...only, samples }];
  return [part(only.samples.slice(0, middle)), part(only.samples.slice(middle))];
}
